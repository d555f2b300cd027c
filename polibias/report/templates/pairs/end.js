  var list = null, parts = new Map(), waiting = new Map(), listTitle = document.title;

  // The two calls that the files beside this page make.
  window.polibias = {
    list: function (found) { list = unpacked(found); },
    part: function (number, found) { parts.set(number, found); }
  };

  // Load a file beside this page once, then go on. It lies in the folder of this page, whatever the address says.
  function load(name, then) {
    if (waiting.has(name)) { waiting.get(name).push(then); return; }
    waiting.set(name, [then]);
    var script = document.createElement("script");
    script.src = "pairs/" + name + ".js";
    script.addEventListener("load", function () {
      var calls = waiting.get(name);
      waiting.delete(name);
      if (name === "list" ? list : parts.has(Number(name))) { calls.forEach(function (call) { call(); }); } else { lost(name); }
    });
    script.addEventListener("error", function () { waiting.delete(name); lost(name); });
    document.head.append(script);
  }

  function lost(name) {
    place("Pairs", [reason("pairs/" + name + ".js is missing or damaged. Copy the whole folder of the report.")]);
  }

  // Put this content in the place of what was there. What a reader does leads to its heading, at the top.
  var begun = false;
  function place(title, content) {
    var head = make("h1", { tabindex: "-1" }, [title]), kept = document.activeElement && document.activeElement.id;
    document.getElementById("content").replaceChildren.apply(
      document.getElementById("content"), [head].concat(content).filter(Boolean));
    var again = kept && document.getElementById(kept);
    if (again) { again.focus(); } else if (begun) { head.focus(); window.scrollTo(0, 0); }
    begun = true;
  }

  function open(one, marks) {
    var number = one.pair.part;
    if (!parts.has(number)) { load(String(number), function () { show(); }); return; }
    var entry = parts.get(number)[one.pair.place];
    var answered = entry.answered.filter(function (found) { return found.model === one.model; })[0];
    document.title = one.pair.title + ", " + one.pair.template + ", " + one.pair.task;
    place(one.pair.title, reading(list, one, entry, answered, marks));
  }

  function show() {
    var wanted = chosen();
    if (!wanted.opened) { showList(list, wanted.marks); return; }
    var one = list.named.get(wanted.opened);
    if (one) { open(one, wanted.marks); } else {
      place("Pairs", [reason("This report has no such pair."), make("p", {}, [link(address(wanted.marks), "Back to the list")])]);
    }
  }

  load("list", function () {
    window.addEventListener("hashchange", show);
    show();
  });
})();
