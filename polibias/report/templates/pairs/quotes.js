  // White space as records count it, and the hidden signs among it as they are shown.
  var GAP = new RegExp(
    "(?:[ \\t\\n\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]" +
    "|⟨U\\+(?:000[B-D]|001[C-F]|0085|2028|2029)⟩)+", "g");

  // The text with every gap as one space and none at its ends, and where each of its signs stands in the text.
  function plain(text) {
    var out = "", places = [], done = 0;
    function add(piece, at) {
      for (var i = 0; i < piece.length; i += 1) { places.push(at + i); }
      out += piece;
    }
    Array.from(text.matchAll(GAP)).forEach(function (gap) {
      add(text.slice(done, gap.index), done);
      done = gap.index + gap[0].length;
      if (out && done < text.length) { add(" ", gap.index); }
    });
    add(text.slice(done), done);
    return { text: out, places: places };
  }

  // Where a quote stands in a text, white space aside: its range, or null if the text does not hold it.
  function held(quote, whole) {
    var wanted = plain(quote).text, at = whole.text.indexOf(wanted);
    if (at < 0) { return null; }
    if (!wanted) { return { start: 0, end: 0 }; }
    return { start: whole.places[at], end: whole.places[at + wanted.length - 1] + 1 };
  }
