/** What a curl command sends. */
export interface CurlRequest {
  method: string;
  url: string;
  headers: [string, string][];
  body: string | undefined;
}

/** The only options of curl in samples. Those with a value take the next word. */
const options = {
  '-s': 'nothing',
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
  data: string[];
  isQuery: boolean;
}

/** Reads the words behind `curl` as curl does, and throws a sentence about what samples do not use. */
export function readCurl(words: readonly string[]): CurlRequest {
  const collected: Collected = { urls: [], method: undefined, headers: [], data: [], isQuery: false };
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) collected.urls.push(word);
    else readOption(word, rest, collected);
  }
  const [url, second] = collected.urls;
  if (url === undefined) throw new Error('calls curl without an address');
  if (second !== undefined) throw new Error(`calls curl with a second address: ${second}`);
  if (url.includes('#')) throw new Error(`has # in the address ${url}: what follows it is not sent`);
  return toRequest(url, collected);
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
  else if (kind === 'user') collected.headers.push(['authorization', `Basic ${Buffer.from(value).toString('base64')}`]);
  else if (kind === 'encoded') collected.data.push(encodeField(value));
  else if (value.startsWith('@')) throw new Error(`sends the file ${value.slice(1)}, which a reader does not have`);
  else collected.data.push(value);
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`has a header that is no "name: value": ${text}`);
  return [name.toLowerCase(), value];
}

function encodeField(text: string): string {
  const [, name, value] = /^([^=@]+)=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`has no name=value behind --data-urlencode: ${text}`);
  return `${name}=${encodeURIComponent(value)}`;
}

function toRequest(url: string, { method, headers, data, isQuery }: Collected): CurlRequest {
  const joined = data.join('&');
  if (data.length === 0) return { method: method ?? 'GET', url, headers, body: undefined };
  if (isQuery) {
    const separator = url.includes('?') ? '&' : '?';
    return { method: method ?? 'GET', url: `${url}${separator}${joined}`, headers, body: undefined };
  }
  const hasType = headers.some(([name]) => name === 'content-type');
  const type: [string, string] = ['content-type', 'application/x-www-form-urlencoded'];
  return { method: method ?? 'POST', url, headers: hasType ? headers : [...headers, type], body: joined };
}
