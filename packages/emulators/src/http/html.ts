/** Returns a page without scripts or styles, for people and for programs that follow its forms. */
export function writePage(title: string, body: string, head = ''): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}
<title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1>
${body}
</body></html>
`;
}

/** Returns a form that asks which of the emulator's users you are. It posts to its own URL. */
export function choosePerson(
  people: Iterable<{ id: string; name: string }>,
  buttons: readonly { text: string; decision: string }[],
): string {
  const options = Iterator.from(people)
    .take(mostPeopleShown)
    .map(({ id, name }) => `<option value="${escapeHtml(id)}">${escapeHtml(name)}</option>`)
    .toArray();
  const presses = buttons.map(
    ({ text, decision }) => `<button name="decision" value="${decision}">${escapeHtml(text)}</button>`,
  );
  return `<form method="post"><label>Who are you? <select name="user">${options.join('')}</select></label>
${presses.join(' ')}</form>`;
}

const mostPeopleShown = 200;

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
