  var OUTSIDE = " (in neither response)";
  var marking = { differing: true, quotes: "all" };

  // Each response with its plain form, made once per pair.
  function texts(answered) {
    return answered.responses.map(function (row) {
      return row && { text: row.text, whole: plain(row.text) };
    });
  }

  // Every quote of every reading with who gave it and where it stands.
  function quotesOf(answered, found) {
    var quotes = [];
    function add(who, words) {
      var at = found.map(function (one) { return one && held(words, one.whole); });
      quotes.push({ who: who, words: words, at: at });
      return quotes[quotes.length - 1];
    }
    answered.readings.forEach(function (reading) {
      reading.orders.forEach(function (row) {
        if (row.verdict) {
          row.verdict.scores.forEach(function (score) {
            score[3] = score[2].map(function (words) { return add(orderName(reading, row), words); });
          });
        }
      });
    });
    answered.people.forEach(function (one) {
      one.scores.forEach(function (score) { score[4] = score[3].map(function (words) { return add(one.who, words); }); });
    });
    return quotes;
  }

  function orderName(reading, row) { return reading.judge + ", version " + row.first + " first"; }

  function reading(list, one, entry, answered, marks) {
    var rubric = list.rubrics.get(entry.condition), found = texts(answered), quotes = quotesOf(answered, found);
    var compared = {
      prompts: differing(entry.prompts[0], entry.prompts[1]),
      responses: found[0] && found[1] ? differing(found[0].text, found[1].text) : [[], []]
    };
    var sides = make("div"), titles = entry.versions;
    function paint() {
      sides.replaceChildren(
        columns("Prompts", titles, entry.prompts.map(function (text, i) {
          return [box(titles[i] + ", prompt", painted(text, layer("differs", marking.differing, compared.prompts[i])))];
        })),
        columns("Responses", titles, answered.responses.map(function (row, i) {
          return response(row, titles[i], i, quotes, compared.responses[i]);
        }))
      );
    }
    paint();
    return [
      about(one, marks), others(list, one, marks), markers(quotes, paint), sides
    ].concat(judges(list, one, entry, answered, rubric, marks), people(answered));
  }

  function layer(name, wanted, ranges) { return wanted ? [{ name: name, ranges: ranges }] : []; }

  function response(row, title, i, quotes, differs) {
    if (!row) { return [make("p", { "class": "reason" }, ["No response."])]; }
    var wanted = quotes.filter(function (quote) {
      return quote.at[i] && (marking.quotes === "all" || marking.quotes === quote.who);
    }).map(function (quote) { return quote.at[i]; });
    var layers = layer("differs", marking.differing, differs).concat([{ name: "quoted", ranges: wanted }]);
    return row.before.map(reason).concat([box(title + ", response", painted(row.text, layers))], row.after.map(reason));
  }

  function reason(text) { return make("p", { "class": "reason" }, [text]); }

  function box(label, content) {
    return make("pre", { tabindex: "0", role: "region", "aria-label": label }, [content]);
  }

  function columns(title, heads, contents) {
    return make("section", {}, [make("h2", {}, [title]), make("div", { "class": "sides" }, contents.map(
      function (content, i) { return make("section", {}, [make("h3", {}, [heads[i]])].concat(content)); }))]);
  }

  function about(one, marks) {
    var pair = one.pair;
    return make("p", {}, [
      pair.condition + " · " + pair.template + " · " + pair.task + " · " + pair.block + " (" + pair.category + ") · model " +
      one.model + ". ", link(address(marks), "Back to the list")
    ]);
  }

  // The neighbours among what is chosen, and the same pair as other models answered it.
  function others(list, one, marks) {
    var own = inOrder(selected(list, marks)), at = own.indexOf(one), links = [];
    if (at > 0) { links.push(link(address(marks, own[at - 1].name), "← Previous")); }
    if (at >= 0 && at < own.length - 1) { links.push(link(address(marks, own[at + 1].name), "Next →")); }
    list.cases.forEach(function (other) {
      if (other.pair === one.pair && other.judge === one.judge && other !== one) {
        links.push(link(address(marks, other.name), "as " + other.model + " answered"));
      }
    });
    return make("nav", { "aria-label": "Other pairs" }, [
      make("ul", {}, links.map(function (to) { return make("li", {}, [to]); }))
    ]);
  }

  function markers(quotes, paint) {
    var tick = make("input", { type: "checkbox", id: "differing" }), names = [];
    tick.checked = marking.differing;
    tick.addEventListener("change", function () { marking.differing = tick.checked; paint(); });
    quotes.forEach(function (quote) { if (names.indexOf(quote.who) < 0) { names.push(quote.who); } });
    if (names.indexOf(marking.quotes) < 0 && marking.quotes !== "none") { marking.quotes = "all"; }
    var options = [["all", "all"], ["none", "none"]].concat(names.map(function (name) { return [name, name]; }));
    return make("div", { "class": "choices", role: "group", "aria-label": "Marks in the texts" }, [
      make("label", {}, [tick, " ", make("mark", { "class": "differs" }, ["words that differ"])]),
      make("span", { "class": "together" }, [
        make("mark", { "class": "quoted" }, ["quotes"]), " ",
        chooser("of", options, marking.quotes, function (value) { marking.quotes = value; paint(); }, "quotes-of")
      ])
    ]);
  }

  function judges(list, one, entry, answered, rubric, marks) {
    if (entry.level === "names") { return guessesOf(answered); }
    return answered.readings.slice().sort(function (a, b) {
      return (b.name === one.name) - (a.name === one.name);
    }).map(function (reading) {
      var own = list.named.get(reading.name);
      return make("section", { "class": "judge" }, [
        make("h2", {}, ["Judge " + reading.judge]), score(own, reading, rubric), copied(list, reading, marks)
      ].concat(guess(reading), [make("div", { "class": "sides" }, reading.orders.map(function (row) {
        return make("section", {}, [make("h3", {}, ["Version " + row.first + " shown first"])].concat(
          verdict(row, rubric, orderName(reading, row))));
      }))]));
    });
  }

  function guessesOf(answered) {
    return answered.readings.map(function (reading) {
      return make("section", {}, [make("h2", {}, ["Judge " + reading.judge])].concat(guess(reading)));
    });
  }

  function guess(reading) {
    if (!reading.guess) { return []; }
    return [
      make("p", {}, ["Re-identification: " + reading.guess[0] + "."]),
      box("What judge " + reading.judge + " said of the countries", breakable(reading.guess[1]))
    ];
  }

  function score(own, reading, rubric) {
    if (own.score !== null) {
      return make("p", {}, ["Pair score: ", make("strong", {}, [own.score.toFixed(1)]),
        " of " + rubric.highest + " (mean of both orders)."]);
    }
    return make("p", {}, ["Pair score: none: " + (reading.whole
      ? "a pair needs a valid verdict in both orders." : "not read by anybody, since masking was not whole.")]);
  }

  function copied(list, reading, marks) {
    var links = reading.copies.map(function (name) {
      var copy = list.named.get(name), score = copy.score === null ? "" : " (" + copy.score.toFixed(1) + ")";
      return make("li", {}, [link(address(marks, name), "Read again: " + copy.pair.condition + score)]);
    });
    if (reading.original) {
      links.push(make("li", {}, [link(address(marks, reading.original), "A copy of " + list.named.get(reading.original).pair.title)]));
    }
    return links.length ? make("ul", {}, links) : null;
  }

  function verdict(row, rubric, label) {
    if (row.failed) {
      return [reason("No valid verdict: " + row.failed), box("What the judge said", breakable(row.text))];
    }
    if (!row.verdict) { return [reason("Not judged.")]; }
    var heads = [["Dimension"], ["Score", "figure"], ["Favours"], ["Evidence", "evidence"]];
    var rows = row.verdict.scores.map(function (score, i) {
      return [rubric.dimensions[i], String(score[0]), score[1], evidence(score[3])];
    });
    var labels = rubric.labels.map(function (title, i) {
      return title + ": version A " + row.verdict.labels[i][0] + ", version B " + row.verdict.labels[i][1] + ". ";
    });
    return [
      table("Scores, " + label, heads, rows.concat([["Total", String(row.verdict.total), "", ""]])),
      make("p", {}, [labels.join("")])
    ];
  }

  // Quotes as they were given; one that a response holds leads there.
  function evidence(quotes) {
    var out = [];
    quotes.forEach(function (quote) {
      var where = quote.at.map(function (at, i) { return at ? "AB"[i] : ""; }).filter(Boolean);
      if (!where.length) {
        out.push(make("div", {}, [make("q", {}, [breakable(quote.words)]), make("span", { "class": "reason" }, [OUTSIDE])]));
        return;
      }
      var to = make("button", { type: "button", "class": "quote" }, [
        make("q", {}, [breakable(quote.words)]), " (" + where.join(" and ") + ")"
      ]);
      to.addEventListener("click", function () { lead(quote); });
      out.push(make("div", {}, [to]));
    });
    return out;
  }

  // Show a quote in its response, even if quotes are not marked at the moment.
  function lead(quote) {
    var at = quote.at.filter(Boolean)[0], select = document.getElementById("quotes-of");
    if (marking.quotes !== "all" && marking.quotes !== quote.who) {
      select.value = quote.who;
      select.dispatchEvent(new Event("change"));
    }
    document.querySelectorAll("mark.led").forEach(function (old) { old.classList.remove("led"); });
    if (!at.first) { return; }
    at.first.classList.add("led");
    at.first.scrollIntoView({ block: "center" });
    at.first.closest("pre").focus({ preventScroll: true });
  }

  function people(answered) {
    if (!answered.people.length) { return []; }
    return [make("h2", {}, ["People"])].concat(answered.people.map(function (one) {
      var heads = [["Dimension"], ["Score", "figure"], ["Favours"], ["Evidence", "evidence"]];
      var rows = one.scores.map(function (score) { return [score[0], String(score[1]), score[2], evidence(score[4])]; });
      var labels = one.labels.map(function (label) { return label[0] + ": version A " + label[1] + ", version B " + label[2] + ". "; });
      return make("section", {}, [
        make("h3", {}, [one.who]), rows.length ? table("Scores of " + one.who, heads, rows) : reason(one.status),
        make("p", {}, [labels.join("")])
      ]);
    }));
  }
