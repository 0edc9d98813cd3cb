const pieces =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)(\s*:)?|\b(?:import|from|const|await|new|package|func|return|defer|if|panic|curl|print|true|false|null|None|True|False|nil)\b|(?<![\w.])-?\d+(?:\.\d+)?\b/g;

/** Highlights code with the site's classes: names, strings, keywords and numbers, the same for all languages shown here. */
export function colour(code: string): string {
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pieces)) {
    const [all, text, colon] = match;
    html += escapeHtml(code.slice(end, match.index)) + span(all, text, colon);
    end = match.index + all.length;
  }
  return html + escapeHtml(code.slice(end));
}

function span(all: string, text: string | undefined, colon: string | undefined): string {
  if (text !== undefined)
    return `<span class="token ${colon === undefined ? 'string' : 'property'}">${escapeHtml(text)}</span>${colon ?? ''}`;
  return `<span class="token ${/\d/.test(all) ? 'number' : 'keyword'}">${all}</span>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
