export type AnswerBody =
  | { kind: 'empty' }
  | { kind: 'text'; text: string; left: number }
  | { kind: 'image'; source: string }
  | { kind: 'other'; type: string; bytes: number };

const shownCharacters = 200_000;
const textual = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|x-www-form-urlencoded|javascript))/;
/** Image types without scripts. */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** Prepares a response for display: JSON formatted, images as such. */
export async function readBody(answer: Response): Promise<AnswerBody> {
  const [type = ''] = (answer.headers.get('content-type') ?? '').toLowerCase().split(';');
  if (pictures.test(type.trim())) return { kind: 'image', source: await dataUrl(await answer.blob()) };
  if (type !== '' && !textual.test(type))
    return { kind: 'other', type, bytes: (await answer.arrayBuffer()).byteLength };
  const text = layOut(await answer.text());
  if (text === '') return { kind: 'empty' };
  return { kind: 'text', text: text.slice(0, shownCharacters), left: Math.max(0, text.length - shownCharacters) };
}

/** Formats JSON and keeps every number as it was sent; other text stays unchanged. */
export function layOut(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let last = '';
  let laid = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth -= 1;
    const startsLine = isClosing ? last !== '{' && last !== '[' : last === '{' || last === '[' || last === ',';
    laid += `${startsLine ? line() : ''}${token}${token === ':' ? ' ' : ''}`;
    if (isOpening) depth += 1;
    last = token;
  }
  return laid;
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
