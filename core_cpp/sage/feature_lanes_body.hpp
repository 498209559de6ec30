// Body of feature_lanes_*.cpp, which define before including it, in an unnamed namespace: kLanes, the vector types
// Words (unsigned), Ints and Floats, and the functions any(Words), gather_bytes(table, Ints) and
// gather_ints(table, Ints). Comparisons give lanes of 0 or -1. What the quantities are is said where they are
// defined for one position: contact_features.cpp and hitting.cpp.

constexpr int kPlaces = 26;
constexpr int kBarPlace = 25;
constexpr unsigned kPointsWord = 0x01FFFFFEU;
constexpr unsigned kBarWord = 1U << kBarPlace;

constexpr unsigned bits_between(int first, int last) { return ((2U << last) - 1U) & ~((1U << first) - 1U); }

inline Words as_words(Ints v) { return reinterpret_cast<Words>(v); }
inline Ints as_ints(Words v) { return reinterpret_cast<Ints>(v); }
inline Words where(Ints mask, Words v) { return reinterpret_cast<Words>(mask) & v; }
inline Ints where(Ints mask, Ints v) { return mask & v; }
inline Ints smaller(Ints a, Ints b) { return a < b ? a : b; }
inline Ints larger(Ints a, Ints b) { return a > b ? a : b; }
inline Floats to_floats(Ints v) { return __builtin_convertvector(v, Floats); }
inline Ints to_ints(Floats v) { return __builtin_convertvector(v, Ints); }

// Quotient of numbers that are not negative and small enough for floats to be exact; denominators above 0.
inline Ints divided(Ints a, Ints b) { return to_ints(to_floats(a) / to_floats(b)); }
inline Ints divided_up(Ints a, Ints b) { return divided(a + b - 1, b); }

// Number of the only bit of a word.
inline Ints place_of_bit(Words single) {
  return (reinterpret_cast<Ints>(to_floats(as_ints(single))) >> 23) - 127;
}

// Largest set bit, 0 for an empty word (bit 0 is never used).
inline Ints highest_place(Words word) {
  word |= 1U;
  // Without the bit below the highest, conversion cannot round up to the next power of two.
  return place_of_bit(word & ~(word >> 1));
}

inline Ints count_bits(Words word) {
  word -= (word >> 1) & 0x55555555U;
  word = (word & 0x33333333U) + ((word >> 2) & 0x33333333U);
  word = (word + (word >> 4)) & 0x0F0F0F0FU;
  word += word >> 8;
  word += word >> 16;
  return as_ints(word & 63U);
}

struct Side {
  Ints count[kPlaces];  // own checkers on 1..24, on the bar at 25
  Words occupied;
  Words made;
  Words their_blots;
  Words their_made;
  Words pairs_at_home;  // exactly two, on 1..6
  Ints home_points;     // occupied points of 1..6
  Ints blocked_home_points;
  Ints anchors;
  Ints their_bar;
  Ints off;
  Ints pips;
};

struct Pair {
  Side own;
  Side opponent;
};

void load(const signed char* const* boards, Pair& pair) {
  int places[kPlaces][kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < kPlaces; ++i) places[i][lane] = boards[lane][i];
  const auto place = [&](int i) {
    Ints v;
    __builtin_memcpy(&v, places[i], sizeof v);
    return v;
  };
  Side& own = pair.own;
  Side& opponent = pair.opponent;
  const Ints none = place(0) - place(0);
  const Words no_bits = as_words(none);
  for (Side* side : {&own, &opponent}) {
    side->count[0] = none;
    side->occupied = side->made = side->their_blots = side->their_made = side->pairs_at_home = no_bits;
    side->home_points = side->blocked_home_points = side->anchors = none;
  }
  own.count[kBarPlace] = opponent.their_bar = place(kBarPlace);
  opponent.count[kBarPlace] = own.their_bar = place(0);
  for (int i = 1; i < kBarPlace; ++i) {
    const Ints n = place(i);
    const int turned = kBarPlace - i;
    const unsigned here = 1U << i;
    const unsigned there = 1U << turned;
    const Ints ours = n > 0;
    const Ints ours_made = n > 1;
    const Ints theirs = n < 0;
    const Ints theirs_made = n < -1;
    own.count[i] = where(ours, n);
    opponent.count[turned] = where(theirs, -n);
    const Words all = no_bits + 0xFFFFFFFFU;
    const Words bit_here = all & here;
    const Words bit_there = all & there;
    own.occupied |= where(ours, bit_here);
    own.made |= where(ours_made, bit_here);
    own.their_made |= where(theirs_made, bit_here);
    own.their_blots |= where(theirs & ~theirs_made, bit_here);
    opponent.occupied |= where(theirs, bit_there);
    opponent.made |= where(theirs_made, bit_there);
    opponent.their_made |= where(ours_made, bit_there);
    opponent.their_blots |= where(ours & ~ours_made, bit_there);
    if (i <= 6) {
      own.home_points -= ours;
      own.pairs_at_home |= where(n == 2, bit_here);
      opponent.anchors -= theirs_made;
      opponent.blocked_home_points -= ours_made;
    }
    if (i >= 19) {
      opponent.home_points -= theirs;
      opponent.pairs_at_home |= where(n == -2, bit_there);
      own.anchors -= ours_made;
      own.blocked_home_points -= theirs_made;
    }
  }
  for (Side* side : {&own, &opponent}) {
    Ints behind = side->count[kBarPlace];
    Ints pips = behind;
    for (int i = kBarPlace - 1; i >= 1; --i) {
      behind += side->count[i];
      pips += behind;
    }
    side->pips = pips;
    side->off = 15 - behind;
  }
}

Ints hitting(const Side& me) {
  const Words blots = me.their_blots;
  const Words open = ~me.their_made & kPointsWord;
  Words landed[7];
  Ints direct[7];
  for (int die = 1; die <= 6; ++die) {
    const Words behind = blots << die;
    landed[die] = behind & open;
    direct[die] = (behind & me.occupied) != 0U;
  }
  Ints rolls = me.off - me.off;
  for (int high = 1; high <= 6; ++high) {
    for (int low = 1; low < high; ++low) {
      const Words both = ((landed[high] << low) | (landed[low] << high)) & me.occupied;
      rolls -= 2 * (direct[high] | direct[low] | (both != 0U));
    }
    Words walk = landed[high];
    Ints hit = direct[high];
    for (int step = 2; step <= 4; ++step) {
      walk <<= high;
      hit |= (walk & me.occupied) != 0U;
      walk &= open;
    }
    rolls -= hit;
  }
  return rolls;
}

inline Ints two_or_more(Words word) { return (word & (word - 1U)) != 0U; }

// See double_hits_two() for the cases.
inline Ints double_hits(const Side& me, Words own, Words one_step, int die) {
  const Words blots = me.their_blots;
  const Words blocked = me.their_made;
  const Words free_one = blots & ~(blocked >> die);
  const Words two_steps = free_one & (own >> (2 * die));
  const Words three_steps = free_one & ~(blocked >> (2 * die)) & (own >> (3 * die));
  const Ints one = one_step != 0U;
  Ints hits = two_or_more(one_step);
  hits |= one & (two_steps != 0U) & two_or_more(one_step | two_steps);
  hits |= one & (three_steps != 0U) & two_or_more(one_step | three_steps);
  Words onward = (one_step >> die) & kPointsWord & ~blocked;
  onward = (onward >> die) & kPointsWord & ~blocked;
  hits |= ((onward >> die) & blots) != 0U;
  Words way = (blots << die) & kPointsWord;
  Words second = way & blots;
  way &= ~blocked;
  way = (way << die) & kPointsWord;
  second = (second << die) & kPointsWord;
  second |= way & blots;
  for (int step = 2; step <= 4; ++step) {
    hits |= (second & me.occupied) != 0U;
    second = ((second & ~blocked) << die) & kPointsWord;
  }
  return hits;
}

// Cells (x, y) and (y, x) are added where x hits one blot and y another, by pairs of targets: all pairs less those
// in which a lone checker would have to do both. Or where the checker that has hit with one die hits with the other.
Ints double_hitting(const Side& me, Words own) {
  const Words blots = me.their_blots;
  Ints rolls = me.off - me.off;
  if (!any(as_words(two_or_more(blots)))) return rolls;
  const Words lone = (me.occupied & ~me.made) | where(me.count[kBarPlace] == 1, as_words(rolls) + kBarWord);
  Words hit[7];
  Ints hits[7];
  for (int die = 1; die <= 6; ++die) {
    hit[die] = blots & (own >> die);
    hits[die] = count_bits(hit[die]);
  }
  for (int x = 1; x <= 6; ++x) {
    for (int y = 1; y < x; ++y) {
      const Ints same = count_bits(hit[x] & hit[y]);
      const Ints impossible = count_bits(hit[x] & (hit[y] >> (x - y)) & (lone >> x));
      const Ints two_checkers = hits[x] * hits[y] - same - impossible > 0;
      const Words one_checker = ((hit[x] >> y) | (hit[y] >> x)) & blots;
      rolls -= 2 * (two_checkers | (one_checker != 0U));
    }
    rolls -= double_hits(me, own, hit[x], x) | (((hit[x] >> x) & blots) != 0U);
  }
  return rolls;
}

struct Targets {
  Words targets;
  Words blocked;

  Words hit(Words from, int pips) const { return targets & (from >> pips); }
  Words combined(Words from, int low, int high) const {
    return hit(from, low + high) & ~((blocked >> low) & (blocked >> high));
  }
  Words stepped(Words from, int die) const {
    Words stopped = blocked >> die;
    Words reached = hit(from, 2 * die) & ~stopped;
    stopped |= blocked >> (2 * die);
    reached |= hit(from, 3 * die) & ~stopped;
    stopped |= blocked >> (3 * die);
    return reached | (hit(from, 4 * die) & ~stopped);
  }
};

Ints pips_hit_without_bar(const Targets& t, Words shooters) {
  Ints sum = as_ints(shooters - shooters);
  for (int high = 1; high <= 6; ++high) {
    const Words direct = t.hit(shooters, high);
    for (int low = 1; low < high; ++low)
      sum += 2 * highest_place(direct | t.hit(shooters, low) | t.combined(shooters, low, high));
    sum += highest_place(direct | t.stepped(shooters, high));
  }
  return sum;
}

Ints pips_hit_with_one_on_bar(const Targets& t, Words shooters) {
  const Words bar = shooters & kBarWord;
  const Words others = shooters & ~kBarWord;
  const auto open = [&](int entry) { return ((t.blocked >> (kBarPlace - entry)) & 1U) == 0U; };
  Ints sum = as_ints(shooters - shooters);
  for (int high = 1; high <= 6; ++high) {
    const Words bar_direct = t.hit(bar, high);
    const Words direct = t.hit(others, high);
    for (int low = 1; low < high; ++low) {
      const Words by_low = t.hit(others, low);
      const Ints low_hits = (by_low != 0U) & open(high);
      const Words by_others = low_hits ? by_low : where(open(low), direct);
      sum += 2 * highest_place(bar_direct | t.hit(bar, low) | t.combined(bar, low, high) | by_others);
    }
    sum += highest_place(bar_direct | t.stepped(bar, high) | where(open(2 * high), direct));
  }
  return sum;
}

Ints pips_hit_with_more_on_bar(const Targets& t, Words shooters) {
  const Words bar = shooters & kBarWord;
  Ints sum = as_ints(shooters - shooters);
  for (int high = 1; high <= 6; ++high) {
    const Words direct = t.hit(bar, high);
    for (int low = 1; low < high; ++low) sum += 2 * highest_place(direct | t.hit(bar, low));
    sum += highest_place(direct);
  }
  return sum;
}

Ints pips_hit(const Side& me, Words own) {
  const Words targets = me.their_blots & ~where(me.home_points <= 2, as_words(me.off - me.off) + bits_between(1, 2));
  const Targets t{targets, me.their_made};
  if (!any(targets)) return me.off - me.off;
  const Words shooters = own & ~me.pairs_at_home;
  const Ints bar = me.count[kBarPlace];
  const Ints without = pips_hit_without_bar(t, shooters);
  if (!any(as_words(bar))) return without;
  const Ints one = pips_hit_with_one_on_bar(t, shooters);
  const Ints more = pips_hit_with_more_on_bar(t, shooters);
  return bar == 0 ? without : bar == 1 ? one : more;
}

// Escapes of a checker on the other side's own points 7..25 before this side's made points; [n] as in escape_mask().
struct Escapes {
  Ints rolls[25];
};

void fill(const Side& blocker, const FeatureTables& tables, Escapes& escapes) {
  for (int n = 6; n <= 24; ++n)
    escapes.rolls[n] = gather_bytes(tables.escapes, as_ints((blocker.made >> (25 - n)) & 0xFFFU));
}

Ints timing(const Side& me, Ints rear_enemy) {
  Ints spare = me.count[kBarPlace];
  Ints pips = 24 * spare;
  for (int i = 24; i >= 7; --i) {
    const Ints n = me.count[i];
    Ints k = n;
    if (i >= 13) {
      const Ints past = where(n > 2, n - 2) - (n == 1);
      k = rear_enemy < i ? past : n;
    }
    spare += k;
    pips += (i - 1) * k;
  }
  for (int i = 6; i >= 1; --i) {
    const Ints d = me.count[i] - 2;
    const Ints k = where((d > 0) | (spare + d >= 0), d);
    spare += k;
    pips += (i - 1) * k;
  }
  return pips;
}

Ints second_moment(const Side& me) {
  const Ints n = 15 - me.off;
  const Ints mean = divided_up(me.pips - n, larger(n, n - n + 1));
  Ints behind = n - n;  // checkers from here on
  Ints weighted = behind;
  Ints sum = behind;
  Ints squares = behind;
  Ints found = behind;
  for (int point = kBarPlace; point >= 2; --point) {
    behind += me.count[point];
    weighted += behind;
    // Sums of sums count distances, and sums of those triangular numbers.
    const Ints counts = mean + 1 < point;
    sum += where(counts, behind);
    squares += where(counts, weighted);
    found = larger(found, where(counts, behind));
  }
  return where(found > 0, divided_up(2 * squares - sum, larger(found, n - n + 1)));
}

Floats backbone(const Side& me) {
  Ints previous = me.off - me.off;
  Ints checkers = previous;
  Ints weighted = previous;
  Ints total = previous;
  for (int point = 24; point >= 2; --point) {
    const Ints n = me.count[point];
    const Ints made = n >= 2;
    const Ints counted = where(made & (previous > 0), checkers);
    const Ints distance = previous - point;
    const Ints weight = distance <= 6 ? distance - distance + 11 : where(distance <= 11, 13 - distance);
    weighted += weight * counted;
    total += counted;
    previous = made ? previous - previous + point : previous;
    checkers = made ? n : checkers;
  }
  // One rounding, which gives what 1 - weighted / (11 total) does in double precision.
  const Ints whole = 11 * total;
  const Ints nobody = total == 0;
  return to_floats(where(~nobody, whole - weighted)) / to_floats(whole - nobody);
}

void side_inputs(const Side& me, const Side& them, const Escapes& ours, const Escapes& theirs,
                 const FeatureTables& tables, Floats* x) {
  const Ints zero = me.off - me.off;
  const Words no_bits = as_words(zero);
  const Ints bar = me.count[kBarPlace];
  const Words own = me.occupied | where(bar > 0, no_bits + kBarWord);
  const Ints rear_enemy = highest_place(me.their_blots | me.their_made);
  const Ints enemy = rear_enemy > 0;
  const auto ratio = [](Ints numerator, int denominator) {
    return to_floats(numerator) / static_cast<float>(denominator);
  };

  x[0] = ratio(bar, 2);
  x[1] = ratio(smaller(me.off, zero + 5), 5);
  x[2] = ratio(smaller(larger(me.off - 5, zero), zero + 5), 5);
  x[3] = ratio(larger(me.off - 10, zero), 5);
  x[4] = ratio(me.blocked_home_points * me.blocked_home_points, 36);
  const Words far_points = me.made & bits_between(13, 24);
  const Ints anchor = far_points != 0U;
  const Ints lowest_far = place_of_bit((far_points & (0U - far_points)) | where(~anchor, no_bits + 1U));
  x[5] = anchor ? ratio(25 - lowest_far, 6) : to_floats(zero + 2);
  x[6] = ratio(hitting(me), 36);
  x[7] = ratio(double_hitting(me, own), 36);

  const Ints start = highest_place(me.occupied & bits_between(19, 24));
  const Ints ahead = as_ints((them.made >> as_words(26 - start)) & 0xFFFU);
  const Ints row = where(start > 0, start - 19);
  const Ints escaping = gather_bytes(tables.escaping_rolls, row * 4096 + ahead);
  x[8] = ratio(start > 0 ? escaping : zero + 36, 36);
  x[9] = ratio(highest_place(me.occupied), 24);
  x[10] = ratio(highest_place(me.made), 24);

  // Sums over the points beyond the rear enemy of the checkers from there on are sums of distances.
  Ints from_here = zero;
  Ints past = zero;
  Ints pips_past = zero;
  Ints mobility = zero;
  for (int point = kBarPlace; point >= 1; --point) {
    const Ints n = me.count[point];
    from_here += n;
    const Ints beyond = rear_enemy < point;
    pips_past += where(beyond, from_here);
    past -= where(beyond, -n);
    if (point >= 7) mobility += (point - 6) * (n * theirs.rolls[point - 1]);
  }
  x[11] = ratio(where(enemy, pips_past), 167);
  x[12] = ratio(where(enemy, me.pips - pips_past - rear_enemy * past), 100);
  x[13] = ratio(pips_hit(me, own), 432);

  Ints fewest = zero + 36;
  Ints fewest_to_end = fewest;
  const Ints end = 25 - rear_enemy;
  for (int n = 15; n < 24; ++n) {
    fewest = smaller(fewest, ours.rolls[n]);
    fewest_to_end = end > n ? smaller(fewest_to_end, ours.rolls[n]) : fewest_to_end;
  }
  x[14] = ratio(36 - fewest_to_end, 36);
  x[15] = x[14] * x[14];
  x[16] = ratio(36 - fewest, 36);
  x[17] = x[16] * x[16];
  x[18] = ratio(mobility, 3600);
  x[19] = ratio(second_moment(me), 400);

  Ints loss = zero;
  if (any(as_words(bar))) {
    const Ints blocked = as_ints((me.their_made >> 19) & 63U);
    loss = where(bar > 0, gather_ints(tables.entry_loss, blocked - 64 * (bar > 1)));
  }
  x[20] = ratio(loss, 294);
  x[21] = ratio(timing(me, rear_enemy), 100);
  x[22] = backbone(me);
  const Ints back = bar + me.count[19] + me.count[20] + me.count[21] + me.count[22] + me.count[23] + me.count[24];
  x[23] = me.anchors >= 2 ? ratio(back - 3, 4) : to_floats(zero);
  x[24] = me.anchors == 1 ? ratio(back, 8) : to_floats(zero);
  const Ints block_ahead = as_ints((me.made >> as_words(rear_enemy + 1)) & 0xFFFU);
  x[25] = ratio(enemy ? gather_bytes(tables.escapes_block, block_ahead) : zero + 36, 36);
}

// `boards` are kLanes pointers to 26 places each.
void inputs_of(const signed char* const* boards, const FeatureTables& tables, float (*inputs)[kLanes]) {
  Pair pair;
  load(boards, pair);
  Escapes ours;
  Escapes theirs;
  fill(pair.own, tables, ours);
  fill(pair.opponent, tables, theirs);
  Floats x[kBothSidesExtras];
  side_inputs(pair.own, pair.opponent, ours, theirs, tables, x);
  side_inputs(pair.opponent, pair.own, theirs, ours, tables, x + kBothSidesExtras / 2);
  for (int k = 0; k < kBothSidesExtras; ++k) __builtin_memcpy(inputs[k], &x[k], sizeof x[k]);
}

void contact_inputs(const Board* boards, int count, const FeatureTables& tables, float* inputs) {
  for (int done = 0; done < count; done += kLanes) {
    const signed char* lanes[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = done + lane < count ? done + lane : count - 1;  // idle lanes repeat the last board
      lanes[lane] = reinterpret_cast<const signed char*>(boards + i);
    }
    float by_input[kBothSidesExtras][kLanes];
    inputs_of(lanes, tables, by_input);
    for (int lane = 0; lane < kLanes && done + lane < count; ++lane)
      for (int k = 0; k < kBothSidesExtras; ++k) inputs[(done + lane) * kBothSidesExtras + k] = by_input[k][lane];
  }
}
