// The markup and styles of the GraphiQL page.
// light-dark() follows the system until a theme is chosen in the editor's settings, which sets a class on the body.
// The drag animation of tabs is disabled, because it moves a tab away from the pointer during a double click.
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; height: 100vh; height: 100dvh; display: flex; flex-direction: column; overflow: hidden;
  --ink: light-dark(#1f2937, #e5e7eb); --faint: light-dark(#5b6472, #a3adbd);
  --line: light-dark(#dde1e8, #364152); --paper: light-dark(#fff, #212a3b);
  --field: light-dark(#fff, #161d2a); --accent: light-dark(#15803d, #4ade80);
  --on-accent: light-dark(#fff, #052e16); --bad: light-dark(#b91c1c, #fca5a5);
  background: var(--paper); color: var(--ink); font: 14px/1.4 system-ui, sans-serif; }
body.graphiql-light { color-scheme: light; }
body.graphiql-dark { color-scheme: dark; }
#bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 20px; padding: 8px 16px;
  border-bottom: 1px solid var(--line); }
#bar h1 { display: flex; align-items: center; gap: 10px; margin: 0; font-size: 16px; font-weight: 600; }
#bar form { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 0; }
#bar label { color: var(--faint); }
#bar input, #bar button { box-sizing: border-box; height: 32px; margin: 0; border-radius: 6px;
  border: 1px solid var(--line); padding: 0 10px; background: var(--field); color: inherit; font: inherit; }
#bar input { width: 260px; font-family: ui-monospace, monospace; }
#bar button { cursor: pointer; }
#bar button[type=submit] { background: var(--accent); border-color: var(--accent); color: var(--on-accent);
  font-weight: 600; }
#bar button[aria-pressed=true] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
#bar button:hover { filter: brightness(1.08); }
#bar :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#bar [role=status] { margin: 0; color: var(--faint); }
#bar [role=status].bad { color: var(--bad); font-weight: 600; }
#bar [role=status].good::before { content: '✓ '; color: var(--accent); }
#root { flex: 1; min-height: 0; }
#root .graphiql-container { width: 100%; height: 100%; }
#root .graphiql-logo, .graphiql-explorer-root div:has(> div > a[href*='onegraph']) { display: none !important; }
#root .graphiql-tab { transform: none !important; }
@media (max-width: 700px) {
  #bar { gap: 6px 12px; padding: 6px 10px; }
  #bar [role=status] { margin-left: auto; }
  #bar form { order: 1; flex-wrap: nowrap; width: 100%; }
  #bar label { position: absolute; clip-path: inset(50%); }
  #bar input { flex: 1; width: auto; min-width: 0; font-size: 16px; }
  #bar button { padding: 0 8px; white-space: nowrap; }
  #root .graphiql-container { flex-direction: column; }
  #root .graphiql-main { position: relative; min-height: 0; overflow: hidden; }
  #root .graphiql-sidebar { flex-direction: row; order: 1; width: 100%; padding: 0 8px; }
  #root .graphiql-sessions { margin: 0 4px; }
  #root #graphiql-session { flex-direction: column; min-height: 0; padding: 0 4px 4px; }
  #root #graphiql-session > div { flex: 1 1 0 !important; min-height: 0; min-width: 0; }
  #root #graphiql-session > .graphiql-horizontal-drag-bar { flex: 0 0 6px !important; }
  #root .graphiql-query-editor { padding: 8px; column-gap: 8px; }
  #root .graphiql-editor-tools { padding: 0 8px; }
  #root .graphiql-response { padding-top: 8px; }
  #root .graphiql-main > .graphiql-horizontal-drag-bar { display: none; }
  /* A pane that is closed is moved out of sight by its style. */
  #root .graphiql-main > .graphiql-plugin:not([style*='-1000px']) { position: absolute; inset: 0; z-index: 20;
    background: var(--paper); }
}
.note { max-width: 34rem; margin: 15vh auto 0; padding: 0 24px; text-align: center; color: var(--faint); }
dialog.note { padding: 0 24px 24px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
dialog.note button { height: 32px; padding: 0 12px; border: 1px solid var(--line); border-radius: 6px;
  background: var(--field); color: var(--ink); font: inherit; cursor: pointer; }
.note a { color: var(--accent); font-weight: 600; }
.note h2 { color: var(--ink); }
.note code { padding: 1px 5px; border: 1px solid var(--line); border-radius: 4px; }
`;

export function pageHtml({ title, boot, icon }: { title: string; boot: string; icon: string }): string {
  const name = escapeHtml(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${name}</title>
<link rel="icon" href="${icon}">
<style>${STYLE}</style>
<script src="${boot}" type="module"></script>
</head>
<body>
<header id="bar">
<h1><img src="${icon}" alt="" width="24" height="24">${name}</h1>
<form id="sign-in" autocomplete="off">
<label for="token">Access token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="trl_…" required
 aria-describedby="status">
<button type="submit">Use token</button>
<button type="button" id="forget" hidden>Forget token</button>
</form>
<button type="button" id="explain" aria-pressed="false" title="Adds what a request costs to its answer">Explain</button>
<p id="status" role="status"></p>
</header>
<dialog id="offer" class="note" aria-labelledby="offer-title">
<form method="dialog">
<h2 id="offer-title">Switch to another token?</h2>
<p>This link contains a different access token. Switch only if you trust the sender of the link, who might see what you
enter.</p>
<button value="keep">Keep my token</button>
<button value="switch">Switch token</button>
</form>
</dialog>
<main id="root">
<noscript><p class="note">This page needs JavaScript.</p></noscript>
<div class="note" id="welcome" hidden>
<h2>Explore the API</h2>
<p><a id="sign-in-link" href="/auth/sign-in?to=%2Fgraphql" hidden></a></p>
<p>Every request requires an access token, including the schema request. Enter your token above, or open this
page with <code>#token=trl_…</code> at the end of its address.</p>
<p>The token is stored in this tab until you close the tab.</p>
</div>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
