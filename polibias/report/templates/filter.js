(function () {
  "use strict";
  function apply() {
    var wanted = Array.from(new URLSearchParams(location.hash.slice(1)));
    var shown = 0;
    document.querySelectorAll("tr.case").forEach(function (row) {
      var marks = row.getAttribute("data-marks").split(" ");
      var fits = wanted.every(function (part) { return marks.indexOf(part[0] + "=" + part[1]) >= 0; });
      row.hidden = !fits;
      if (fits) { shown += 1; }
    });
    var chosen = wanted.map(function (part) { return part[0].replace("_", " ") + " " + part[1]; }).join(", ");
    document.getElementById("chosen").textContent = (chosen ? chosen + ": " : "All: ") + shown + " pairs.";
    document.getElementById("all").hidden = !chosen;
  }
  window.addEventListener("hashchange", apply);
  apply();
})();
