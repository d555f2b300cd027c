  var PAGE = 200;
  // Marks that a reader may choose here; others come from the cells of tables.
  var CHOICES = ["condition", "model", "judge", "block", "category", "task", "topic"];
  var ORDERS = [["study", "order of the study"], ["high", "highest score first"], ["low", "lowest score first"]];
  var order = "study";

  function titled(list, key, value) { return list.titles.get(key + ":" + value) || value.replace(/_/g, " "); }

  function keyTitle(list, key) {
    var title = list.titles.get("key:" + key) || key.replace(/_/g, " ");
    return title.charAt(0).toUpperCase() + title.slice(1);
  }

  // The values of a mark in the order of the study; a word is known by what stands before its first "=".
  function valuesOf(list, key) {
    return list.words.filter(function (word) { return word.indexOf(key + "=") === 0; }).map(function (word) {
      return word.slice(key.length + 1);
    });
  }

  function choices(list, marks) {
    return CHOICES.map(function (key) { return [key, valuesOf(list, key)]; }).filter(function (choice) {
      return choice[1].length > 1;
    }).map(function (choice) {
      var key = choice[0], now = marks.filter(function (part) { return part[0] === key; });
      var options = [["", "all"]].concat(choice[1].map(function (value) { return [value, titled(list, key, value)]; }));
      return chooser(keyTitle(list, key), options, now.length ? now[0][1] : "", function (value) {
        var rest = marks.filter(function (part) { return part[0] !== key; });
        location.hash = address(value ? rest.concat([[key, value]]) : rest).split("#")[1];
      }, "choose-" + key);
    });
  }

  function chooser(label, options, now, then, id) {
    var select = make("select", { id: id }, options.map(function (option) {
      var made = make("option", { value: option[0] }, [option[1]]);
      made.selected = option[0] === now;
      return made;
    }));
    select.addEventListener("change", function () { then(select.value); });
    return make("label", {}, [label + " ", select]);
  }

  function inOrder(cases) {
    if (order === "study") { return cases; }
    var sign = order === "high" ? -1 : 1;
    return cases.slice().sort(function (a, b) {
      if (a.score === null || b.score === null) { return (a.score === null) - (b.score === null); }
      return sign * (a.score - b.score);
    });
  }

  function rowOf(one, marks, guesses) {
    var cells = [
      link(address(marks, one.name), one.pair.title), one.pair.template, one.pair.task, one.pair.block,
      one.pair.condition, one.model, one.judge
    ].concat(guesses ? [one.guess] : [], [one.score === null ? one.state : one.score.toFixed(1)]);
    return make("tr", {}, cells.map(function (cell, i) {
      return make(i ? "td" : "th", i ? { "class": i === cells.length - 1 ? "figure" : "" } : { scope: "row" }, [cell]);
    }));
  }

  function showList(list, marks) {
    var found = inOrder(selected(list, marks)), guesses = list.cases.some(function (one) { return one.guess; });
    var heads = ["Pair", "Template", "Task", "Block", "Condition", "Model", "Judge"].concat(guesses ? ["Guess"] : []);
    var body = make("tbody"), more = make("button", { type: "button", id: "more" }), shown = 0;
    function add() {
      var first = shown;
      found.slice(shown, shown + PAGE).forEach(function (one) { body.append(rowOf(one, marks, guesses)); });
      shown = Math.min(found.length, shown + PAGE);
      more.textContent = "Show more: " + shown.toLocaleString("en") + " of " + found.length.toLocaleString("en");
      more.hidden = shown === found.length;
      if (first) { body.rows[first].querySelector("a").focus(); }
    }
    more.addEventListener("click", add);
    add();
    document.title = listTitle;
    place("Pairs", [
      make("p", {}, ["One row is one pair as one model answered it and one judge read it."]),
      make("div", { "class": "choices", role: "group", "aria-label": "Choose" }, choices(list, marks).concat([
        chooser("Order", ORDERS, order, function (value) { order = value; show(); }, "choose-order")
      ])),
      said(list, marks, found.length),
      make("div", { "class": "scroll", tabindex: "0", role: "region", "aria-label": "Pairs" }, [make("table", {}, [
        make("thead", {}, [make("tr", {}, heads.concat(["Score"]).map(function (head) {
          return make("th", { scope: "col", "class": head === "Score" ? "figure" : "" }, [head]);
        }))]), body])]),
      make("p", {}, [more])
    ]);
  }

  // What is chosen in words, and how many it selects.
  function said(list, marks, number) {
    var words = marks.map(function (part) { return keyTitle(list, part[0]) + " " + titled(list, part[0], part[1]); });
    return make("p", { id: "chosen", role: "status" }, [
      make("strong", {}, [(words.length ? words.join(", ") : "All") + ": " + number.toLocaleString("en")]),
      number === 1 ? " row. " : " rows. ", marks.length ? link(address([]), "Show all") : null
    ]);
  }
