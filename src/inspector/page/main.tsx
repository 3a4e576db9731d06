document.title = "weft";
