  // What is chosen stands in the address: marks that select cases, and perhaps the case that is open.
  function chosen() {
    var parts = Array.from(new URLSearchParams(location.hash.slice(1)));
    var opened = parts.filter(function (part) { return part[0] === "case"; });
    return {
      marks: parts.filter(function (part) { return part[0] !== "case"; }),
      opened: opened.length ? opened[0][1] : ""
    };
  }

  // The address of the same page with these marks, and with a case open if one is named.
  function address(marks, opened) {
    var parts = new URLSearchParams(marks);
    if (opened) { parts.set("case", opened); }
    return "#" + parts.toString();
  }

  // The cases that have every mark. A mark that no case has selects none.
  function selected(list, marks) {
    var wanted = marks.map(function (part) { return list.places.get(part[0] + "=" + part[1]); });
    return list.cases.filter(function (one) {
      return wanted.every(function (place) { return one.words.has(place); });
    });
  }

  // The list as it came, under names: arrays hold what is foreign, so that it is never a key of an object.
  function unpacked(found) {
    var pairs = found.pairs.map(function (one) {
      return {
        title: one[0], template: one[1], task: one[2], block: one[3], condition: one[4], category: one[5],
        part: one[6], place: one[7]
      };
    });
    var cases = found.cases.map(function (one) {
      return {
        name: one[0], pair: pairs[one[1]], model: one[2], judge: one[3], score: one[4], state: one[5], guess: one[6],
        words: new Set(one[7])
      };
    });
    return {
      cases: cases,
      words: found.words,
      places: new Map(found.words.map(function (word, place) { return [word, place]; })),
      named: new Map(cases.map(function (one) { return [one.name, one]; })),
      rubrics: new Map(found.rubrics.map(function (one) { return [one.condition, one]; })),
      titles: new Map(found.titles)
    };
  }
