// Asks the daemon. Addresses are relative, so that the page also works below a path of a reverse proxy.

/** The JSON at `api/` + path; null if there is none (404). Throws an Error with one line for people. */
export async function ask(path, query = {}) {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  let answer;
  try {
    answer = await fetch(`api/${path}${search}`, { cache: "no-store" });
  } catch {
    throw new Error("botd cannot be reached.");
  }
  if (answer.status === 404) return null;
  if (answer.status === 401) throw new Error("botd asks for its token: please reload this page.");
  if (!answer.ok) throw new Error((await reason(answer)) ?? `botd answered ${answer.status}.`);
  try {
    return await answer.json();
  } catch {
    throw new Error("botd sent something that cannot be read.");
  }
}

async function reason(answer) {
  try {
    const { error } = await answer.json();
    return typeof error === "string" ? error : null;
  } catch {
    return null;
  }
}
