// Starts the page: views and addresses, the event stream, and when to draw.

import { DiceView } from "./dice.js";
import { el, text } from "./dom.js";
import { Follower } from "./events.js";
import { age } from "./format.js";
import { LiveMatches } from "./live.js";
import { MatchesView } from "./matches.js";
import { Overview } from "./overview.js";

const byId = (id) => document.getElementById(id);

/** What the daemon told last, and how its clock differs from ours. */
const shown = { live: null, offset: 0, at: null };

const matches = new LiveMatches(byId("cards"), byId("no-matches"));
const overview = new Overview({
  about: byId("about"),
  tiles: byId("tiles"),
  accounts: byId("accounts"),
  latency: byId("latency"),
  troubles: byId("troubles"),
  troublesPanel: byId("troubles-panel"),
});
const past = new MatchesView(byId("matches"));
const dice = new DiceView(byId("dice"));

let wanted = false;

/** Draw with the next frame; a hidden page draws when it is looked at again. */
function draw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => {
    wanted = false;
    if (!shown.live) return;
    matches.show(shown.live.accounts);
    overview.showAccounts(shown.live);
    tick();
  });
}

function tick() {
  const now = Date.now() / 1000 + shown.offset;
  if (shown.live) overview.tick(now);
  if (follower.state === "lost" && shown.at !== null) text(byId("lost-age"), `${age(now - shown.at)} ago`);
}

function onLive(live, restarted) {
  shown.live = live;
  shown.at = live.at;
  shown.offset = live.at - Date.now() / 1000;
  document.body.dataset.instance = live.instance;
  if (restarted) matches.clear();
  overview.show(live);
  pill(live.state === "running" ? "good" : "busy", live.state === "running" ? "live" : live.state);
  const playing = live.accounts.filter((account) => account.match).length;
  document.title = playing ? `(${playing}) botd` : "botd";
  draw();
}

function onAccount(account) {
  shown.at = Date.now() / 1000 + shown.offset;
  const { accounts } = shown.live;
  const index = accounts.findIndex((known) => known.id === account.id);
  if (index < 0) accounts.push(account);
  else accounts[index] = account;
  draw();
}

function onLatency(rows) {
  shown.live.latency = rows;
  overview.drawLatency(rows);
}

function pill(kind, word) {
  const node = byId("connection");
  node.className = `pill ${kind}`;
  text(node, word);
}

function onState(state) {
  document.body.dataset.connection = state;
  const banner = byId("banner");
  banner.hidden = state === "live" || state === "connecting";
  if (state === "lost") {
    pill("bad", "connection lost");
    banner.replaceChildren(
      el("b", {}, "No connection to botd. "),
      shown.live ? "What you see is from " : "Nothing was received yet",
      shown.live ? el("span", { id: "lost-age" }) : "",
      ". Trying again by itself …",
    );
    tick();
  } else if (state === "refused") {
    pill("bad", "not logged in");
    banner.replaceChildren(el("b", {}, "botd asks for its token. "), el("a", { href: "./" }, "Log in"));
  } else if (state === "outdated") {
    pill("bad", "other version");
    banner.replaceChildren(
      el("b", {}, "botd is of another version than this page. "),
      el("a", { href: "./" }, "Load it again"),
    );
  }
}

// Views: `#live`, `#matches`, `#match/KEY/STEP`, `#dice`: each has an address, and the back button works.

const tabs = [...document.querySelectorAll('[role="tab"]')];

function route() {
  const [name, ...rest] = decodeParts(location.hash.slice(1));
  const view = { matches: "matches", match: "matches", dice: "dice" }[name] ?? "live";
  for (const tab of tabs) {
    const selected = tab.getAttribute("aria-controls") === view;
    tab.setAttribute("aria-selected", String(selected));
    tab.tabIndex = selected ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !selected;
  }
  if (view === "dice") dice.show();
  if (view === "matches") past.show(name === "match" ? rest : null);
}

function decodeParts(hash) {
  try {
    return hash.split("/").map(decodeURIComponent);
  } catch {
    return [];
  }
}

for (const tab of tabs) {
  tab.addEventListener("click", () => (location.hash = tab.getAttribute("aria-controls")));
  tab.addEventListener("keydown", (event) => {
    const index = tabs.indexOf(tab);
    const wantedTab = {
      ArrowRight: tabs[(index + 1) % tabs.length],
      ArrowLeft: tabs[(index + tabs.length - 1) % tabs.length],
      Home: tabs[0],
      End: tabs[tabs.length - 1],
    }[event.key];
    if (!wantedTab) return;
    event.preventDefault();
    wantedTab.click();
    wantedTab.focus();
  });
}
// The skip link must not count as an address of a view.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});

addEventListener("hashchange", route);
const follower = new Follower(
  { stream: "api/events", whole: "api/live" },
  { onLive, onAccount, onLatency, onState },
);
setInterval(tick, 1_000);
route();
