#include "rules/position_id.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

namespace botd {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kLength = 14;
constexpr std::size_t kKeyBits = 80;
constexpr std::size_t kPlaces = 25;  // 24 points and the bar

using Bits = std::array<bool, 84>;  // the key, padded to whole characters
using Side = std::array<int, kPlaces>;

// Key bit n is bit n mod 8 of its byte, least significant first; characters take bits most significant first.
std::size_t key_bit(std::size_t text_bit) { return text_bit / 8 * 8 + 7 - text_bit % 8; }

bool closed_out(const Side& waiting, const Side& blocking) {
  if (waiting[kPlaces - 1] == 0) return false;
  for (std::size_t i = 0; i < 6; ++i)
    if (blocking[i] < 2) return false;
  return true;
}

// Only for texts that have been found to be 14 characters of the alphabet.
[[noreturn]] void fail(std::string_view text, const std::string& why) {
  throw std::invalid_argument("position ID '" + std::string(text) + "': " + why);
}

[[noreturn]] void fail(const std::string& why) { throw std::invalid_argument("position ID: " + why); }

// The text may come from anywhere: show only what is harmless in a log line.
std::string shown(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code > 0x20 && code < 0x7F ? std::string{'\'', c, '\''} : "byte " + std::to_string(code);
}

Bits bits_of_text(std::string_view text) {
  if (text.size() != kLength) {
    fail("expected 14 characters, got " + std::to_string(text.size()));
  }
  Bits bits{};
  for (std::size_t i = 0; i < kLength; ++i) {
    const std::size_t value = kAlphabet.find(text[i]);
    if (value == std::string_view::npos) {
      fail("character " + std::to_string(i + 1) + " is " + shown(text[i]) +
           ", expected one of A-Z a-z 0-9 + /");
    }
    for (std::size_t k = 0; k < 6; ++k) bits[6 * i + k] = (value >> (5 - k) & 1U) != 0;
  }
  for (std::size_t n = kKeyBits; n < bits.size(); ++n)
    if (bits[n]) fail(text, "the last character must be one of A Q g w");
  return bits;
}

}  // namespace

std::string position_id(const Board& board) {
  Bits key{};
  std::size_t n = 0;
  const auto write = [&](int checkers) {
    for (int i = 0; i < checkers && n < kKeyBits; ++i) key[n++] = true;
    ++n;
  };
  for (std::size_t i = 1; i <= kPoints; ++i) write(board[25 - i] < 0 ? -board[25 - i] : 0);
  write(board[kOpponentBar]);
  for (std::size_t i = 1; i <= kPoints; ++i) write(board[i] > 0 ? board[i] : 0);
  write(board[kOwnBar]);

  std::string text(kLength, 'A');
  for (std::size_t i = 0; i < kLength; ++i) {
    std::size_t value = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      const std::size_t bit = 6 * i + k;
      value = value * 2 + (bit < kKeyBits && key[key_bit(bit)] ? 1 : 0);
    }
    text[i] = kAlphabet[value];
  }
  return text;
}

Board board_from_position_id(std::string_view text) {
  const Bits bits = bits_of_text(text);
  std::array<Side, 2> sides{};
  std::size_t place = 0;
  for (std::size_t n = 0; n < kKeyBits; ++n) {
    if (!bits[key_bit(n)]) {
      ++place;
    } else if (place < 2 * kPlaces) {
      ++sides[place / kPlaces][place % kPlaces];
    } else {
      fail(text, "there is data after the second side's bar");
    }
  }
  const auto& [opponent, own] = sides;
  const auto count = [](const Side& side) {
    int sum = 0;
    for (const int checkers : side) sum += checkers;
    return sum;
  };
  if (count(opponent) > kCheckers) fail(text, "the opponent has more than fifteen checkers");
  if (count(own) > kCheckers) fail(text, "the player on roll has more than fifteen checkers");

  Board board;
  for (std::size_t i = 1; i <= kPoints; ++i) {
    const int theirs = opponent[24 - i];
    const int ours = own[i - 1];
    if (ours > 0 && theirs > 0) fail(text, "both sides have checkers on point " + std::to_string(i));
    board.at(i) = static_cast<std::int8_t>(ours - theirs);
  }
  board.at(kOpponentBar) = static_cast<std::int8_t>(opponent[kPlaces - 1]);
  board.at(kOwnBar) = static_cast<std::int8_t>(own[kPlaces - 1]);
  if (const char* error = board_error(board)) fail(text, error);
  if (closed_out(own, opponent) && closed_out(opponent, own))
    fail(text, "both sides are on the bar against a closed board");
  return board;
}

}  // namespace botd
