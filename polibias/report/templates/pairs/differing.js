  var WORD = new RegExp(
    "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]" +
    "|[\\p{L}\\p{M}\\p{N}]+(?:['’-][\\p{L}\\p{M}\\p{N}]+)*|[^\\s\\p{L}\\p{M}\\p{N}]", "gu");
  // Cells of one table of longest common subsequences, and of all tables of one comparison together.
  var SMALL = 250000, ALL = 8000000;

  function wordsOf(text, known) {
    return Array.from(text.matchAll(WORD), function (found) {
      var word = found[0];
      if (!known.has(word)) { known.set(word, known.size); }
      return { id: known.get(word), start: found.index, end: found.index + word.length };
    });
  }

  // The ranges of each text whose words are not in the other, by the longest common subsequence of words. Stretches
  // that are too long to be compared whole are first cut at words that each text has once; what is still too long,
  // or would take too long altogether, counts as different.
  function differing(one, other) {
    var known = new Map(), left = ALL;
    var a = wordsOf(one, known), b = wordsOf(other, known);
    var differs = [new Uint8Array(a.length).fill(1), new Uint8Array(b.length).fill(1)];
    var waiting = [[0, a.length, 0, b.length]];

    function same(i, j) { differs[0][i] = 0; differs[1][j] = 0; }

    while (waiting.length) {
      var range = waiting.pop(), from = range[0], to = range[1], back = range[2], until = range[3];
      while (from < to && back < until && a[from].id === b[back].id) { same(from, back); from += 1; back += 1; }
      while (from < to && back < until && a[to - 1].id === b[until - 1].id) { to -= 1; until -= 1; same(to, until); }
      var size = (to - from + 1) * (until - back + 1);
      if (from === to || back === until) { continue; }
      if (size <= SMALL && size <= left) {
        left -= size;
        longest(a.slice(from, to), b.slice(back, until)).forEach(function (match) {
          same(from + match[0], back + match[1]);
        });
      } else {
        cuts(a, b, from, to, back, until).forEach(function (gap) { waiting.push(gap); });
      }
    }
    return [ranges(a, differs[0]), ranges(b, differs[1])];
  }

  // Places of the longest common subsequence of two short lists of words.
  function longest(a, b) {
    var width = b.length + 1, table = new Uint16Array((a.length + 1) * width), found = [];
    for (var i = a.length - 1; i >= 0; i -= 1) {
      for (var j = b.length - 1; j >= 0; j -= 1) {
        var at = i * width + j;
        table[at] = a[i].id === b[j].id
          ? table[at + width + 1] + 1 : Math.max(table[at + width], table[at + 1]);
      }
    }
    for (i = 0, j = 0; i < a.length && j < b.length;) {
      if (a[i].id === b[j].id) {
        found.push([i, j]); i += 1; j += 1;
      } else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) { i += 1; } else { j += 1; }
    }
    return found;
  }

  // The stretches between words that both have exactly once and in the same order; none if there is no such word.
  function cuts(a, b, from, to, back, until) {
    var there = once(b, back, until), found = [];
    once(a, from, to).forEach(function (i, id) { if (there.has(id)) { found.push([i, there.get(id)]); } });
    var kept = rising(found.sort(function (x, y) { return x[0] - y[0]; }));
    if (!kept.length) { return []; }
    var gaps = [], i = from, j = back;
    kept.forEach(function (match) {
      gaps.push([i, match[0] + 1, j, match[1] + 1]);
      i = match[0] + 1; j = match[1] + 1;
    });
    gaps.push([i, to, j, until]);
    return gaps;
  }

  function once(words, from, to) {
    var place = new Map();
    for (var i = from; i < to; i += 1) { place.set(words[i].id, place.has(words[i].id) ? -1 : i); }
    place.forEach(function (i, id) { if (i < 0) { place.delete(id); } });
    return place;
  }

  // The longest part of the matches that rises in both texts, by patience sorting.
  function rising(matches) {
    var ends = [], before = [];
    matches.forEach(function (match, at) {
      var low = 0, high = ends.length;
      while (low < high) {
        var middle = (low + high) >> 1;
        if (matches[ends[middle]][1] < match[1]) { low = middle + 1; } else { high = middle; }
      }
      before[at] = low ? ends[low - 1] : -1;
      ends[low] = at;
    });
    var kept = [];
    for (var at = ends.length ? ends[ends.length - 1] : -1; at >= 0; at = before[at]) { kept.push(matches[at]); }
    return kept.reverse();
  }

  // Words that differ, as ranges of the text; neighbours are one range with the white space between them.
  function ranges(words, differs) {
    var found = [];
    words.forEach(function (word, i) {
      if (!differs[i]) { return; }
      if (i && differs[i - 1]) { found[found.length - 1].end = word.end; } else { found.push({ start: word.start, end: word.end }); }
    });
    return found;
  }
