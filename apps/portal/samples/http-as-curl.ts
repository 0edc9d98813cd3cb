/** Converts a written-out request to the curl command that sends it; undefined if it has a placeholder. */
export function httpAsCurl(text: string): string | undefined {
  const [head = '', ...rest] = text.trim().split(/\n\s*\n/);
  const body = rest.join('\n\n');
  const [requestLine = '', ...headers] = head.split('\n');
  const [, method = '', target] = /^([A-Z]+) (\/\S*) HTTP\/1\.1$/.exec(requestLine) ?? [];
  if (target === undefined || /[<>{}]/.test(head)) return undefined;
  const isPlain = method === (body === '' ? 'GET' : 'POST');
  return [
    `curl -s${isPlain ? '' : ` -X ${method}`} "$LATCHKEY_URL${target}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(body === '' ? [] : [`-d @- <<EOF\n${body}\nEOF`]),
  ].join(' \\\n  ');
}
