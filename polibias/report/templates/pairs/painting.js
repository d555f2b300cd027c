  var LONGEST = 400;

  // An element with attributes and children; a child that is a string becomes a text and is never read as markup.
  function make(name, attributes, children) {
    var made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    (children || []).forEach(function (child) {
      if (child !== null) { made.append(typeof child === "string" ? document.createTextNode(child) : child); }
    });
    return made;
  }

  function link(to, text) { return make("a", { href: to }, [text]); }

  // A text that a browser can lay out: a place to break every few hundred signs of a word longer than any.
  function breakable(text) {
    var piece = document.createDocumentFragment(), done = 0;
    Array.from(text.matchAll(/\S{400,}/g)).forEach(function (word) {
      for (var cut = word.index + LONGEST; cut < word.index + word[0].length; cut += LONGEST) {
        piece.append(text.slice(done, cut), document.createElement("wbr"));
        done = cut;
      }
    });
    piece.append(text.slice(done));
    return piece;
  }

  // A text whose ranges are marked: `layers` are lists of ranges, each with the class that its marks have. Where
  // ranges overlap, a stretch has the classes of all. A range's `first` becomes the first mark that shows it.
  function painted(text, layers) {
    var changes = new Map([[0, []], [text.length, []]]);
    function at(place) { if (!changes.has(place)) { changes.set(place, []); } return changes.get(place); }
    layers.forEach(function (layer) {
      layer.ranges.forEach(function (range) {
        if (range.end > range.start) {
          at(range.start).push([layer.name, 1, range]);
          at(range.end).push([layer.name, -1, range]);
        }
      });
    });
    var places = Array.from(changes.keys()).sort(function (a, b) { return a - b; });
    var out = document.createDocumentFragment(), open = new Map(), begun = [];
    places.slice(0, -1).forEach(function (place, i) {
      changes.get(place).forEach(function (change) {
        open.set(change[0], (open.get(change[0]) || 0) + change[1]);
        if (change[1] > 0) { begun.push(change[2]); }
      });
      var names = Array.from(open.keys()).filter(function (name) { return open.get(name) > 0; });
      var piece = breakable(text.slice(place, places[i + 1]));
      if (names.length) {
        piece = make("mark", { "class": names.sort().join(" ") }, [piece]);
        begun.forEach(function (range) { range.first = piece; });
        begun = [];
      }
      out.append(piece);
    });
    return out;
  }

  function table(label, heads, rows) {
    return make("div", { "class": "scroll", tabindex: "0", role: "region", "aria-label": label }, [
      make("table", {}, [
        make("thead", {}, [make("tr", {}, heads.map(function (head) {
          return make("th", { scope: "col", "class": head[1] || "" }, [head[0]]);
        }))]),
        make("tbody", {}, rows.map(function (row) {
          return make("tr", {}, row.map(function (cell, i) {
            return make(i ? "td" : "th", i ? { "class": heads[i][1] || "" } : { scope: "row" }, [].concat(cell));
          }));
        }))
      ])
    ]);
  }
