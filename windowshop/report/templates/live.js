(() => {
  let before = null;
  const tag = document.getElementById("live");
  const look = async () => {
    try {
      const { state } = await (await fetch("/state", { cache: "no-store" })).json();
      if (tag) tag.textContent = "live";
      if (before !== null && state !== before && !document.activeElement?.matches("input, select")) location.reload();
      before ??= state;
    } catch {
      if (tag) tag.textContent = "the server has ended";
    }
  };
  look();
  setInterval(look, 2000);
})();
