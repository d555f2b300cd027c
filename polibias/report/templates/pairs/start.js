(function () {
  "use strict";
