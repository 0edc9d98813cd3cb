/** The request that a curl command sends. */
export interface CurlRequest {
  method: string;
  url: string;
  headers: [string, string][];
  body: string | undefined;
}

/** The only curl options in samples. Those with a value take the next word. */
const options = {
  '-s': 'nothing',
  '-sN': 'nothing',
  '-X': 'method',
  '-H': 'header',
  '-d': 'data',
  '--data': 'data',
  '-G': 'query',
  '--data-urlencode': 'encoded',
  '-u': 'user',
} as const;

interface Collected {
  urls: string[];
  method: string | undefined;
  headers: [string, string][];
  /** A name and a password. */
  user: string | undefined;
  data: { text: string; isToEncode: boolean }[];
  isQuery: boolean;
}

/** A parsed curl command, before anything is encoded. */
export type CurlWords = Omit<Collected, 'urls'> & { url: string };

/** Parses the words after `curl` as curl does, and throws for anything that samples do not use. */
export function readCurl(words: readonly string[]): CurlRequest {
  return toRequest(readCurlWords(words));
}

export function readCurlWords(words: readonly string[]): CurlWords {
  const collected: Collected = {
    urls: [],
    method: undefined,
    headers: [],
    user: undefined,
    data: [],
    isQuery: false,
  };
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) collected.urls.push(word);
    else readOption(word, rest, collected);
  }
  const [url, second] = collected.urls;
  if (url === undefined) throw new Error('calls curl without an address');
  if (second !== undefined) throw new Error(`calls curl with a second address: ${second}`);
  if (url.includes('#')) throw new Error(`has # in the address ${url}: what follows it is not sent`);
  const { method, headers, user, data, isQuery } = collected;
  return { url, method, headers, user, data, isQuery };
}

function readOption(word: string, rest: string[], collected: Collected): void {
  if (!Object.hasOwn(options, word)) throw new Error(`uses ${word}, which samples do not use`);
  const kind = options[word as keyof typeof options];
  if (kind === 'nothing') return;
  if (kind === 'query') {
    collected.isQuery = true;
    return;
  }
  const value = rest.shift();
  if (value === undefined) throw new Error(`has nothing behind ${word}`);
  if (kind === 'method') collected.method = value;
  else if (kind === 'header') collected.headers.push(readHeader(value));
  else if (kind === 'user') collected.user = value;
  else if (kind === 'encoded') collected.data.push({ text: value, isToEncode: true });
  else if (value.startsWith('@')) throw new Error(`sends the file ${value.slice(1)}, which a reader does not have`);
  else collected.data.push({ text: value, isToEncode: false });
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`has a header that is no "name: value": ${text}`);
  return [name.toLowerCase(), value];
}

/** Returns the name and the value of a form field; undefined if it is not one. */
export function readField(text: string): [string, string] | undefined {
  const [, name, value] = /^([^=@{]+)=([\s\S]*)$/.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}

function encodeField(text: string): string {
  const field = readField(text);
  if (field === undefined) throw new Error(`has no name=value behind --data-urlencode: ${text}`);
  return `${field[0]}=${encodeURIComponent(field[1])}`;
}

function toRequest({ url, method, headers: given, user, data, isQuery }: CurlWords): CurlRequest {
  const joined = data.map(({ text, isToEncode }) => (isToEncode ? encodeField(text) : text)).join('&');
  const basic: [string, string][] =
    user === undefined ? [] : [['authorization', `Basic ${Buffer.from(user).toString('base64')}`]];
  const headers = [...given, ...basic];
  if (data.length === 0) return { method: method ?? 'GET', url, headers, body: undefined };
  if (isQuery) {
    const separator = url.includes('?') ? '&' : '?';
    return { method: method ?? 'GET', url: `${url}${separator}${joined}`, headers, body: undefined };
  }
  const hasType = headers.some(([name]) => name === 'content-type');
  const type: [string, string] = ['content-type', 'application/x-www-form-urlencoded'];
  return { method: method ?? 'POST', url, headers: hasType ? headers : [...headers, type], body: joined };
}
