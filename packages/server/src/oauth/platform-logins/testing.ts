import { type IncomingMessage, request as send } from 'node:http';
import { text as readText } from 'node:stream/consumers';

/** What a browser got. */
export interface Shown {
  url: string;
  status: number;
  headers: Headers;
  text: string;
  /** Where the answer sends the browser, if it does. */
  location: string;
}

/** A browser without script: it keeps cookies by host and goes where it is told, one step at a time. */
export class PlainBrowser {
  readonly #jars = new Map<string, Map<string, string>>();

  get(url: string): Promise<Shown> {
    return this.#visit(url);
  }

  /** Sends the form of a page to the address of that page. */
  submit(page: Shown, fields: Record<string, string>): Promise<Shown> {
    return this.#visit(page.url, new URLSearchParams(fields).toString());
  }

  cookies(url: string): ReadonlyMap<string, string> {
    return this.#jarOf(url);
  }

  /** Forgets the cookies of a host. */
  forget(url: string): void {
    this.#jarOf(url).clear();
  }

  async #visit(url: string, form?: string): Promise<Shown> {
    const jar = this.#jarOf(url);
    const { status, headers, text } = await exchange(url, jar, form);
    for (const set of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = headers.get('location');
    return { url, status, headers, text, location: location === null ? '' : new URL(location, url).href };
  }

  #jarOf(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.#jars.get(host) ?? new Map<string, string>();
    this.#jars.set(host, jar);
    return jar;
  }
}

/** By node:http, since fetch says of itself that it is no navigation, and servers treat that differently. */
async function exchange(url: string, jar: ReadonlyMap<string, string>, form: string | undefined) {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = {
    accept: 'text/html,application/xhtml+xml',
    'user-agent': 'PlainBrowser/1.0',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    ...(cookie !== '' && { cookie }),
    ...(form !== undefined && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(form),
    }),
  };
  const { hostname, port, pathname, search } = new URL(url);
  const target = { hostname, port, path: `${pathname}${search}`, agent: false as const };
  return new Promise<{ status: number; headers: Headers; text: string }>((resolve, reject) => {
    let got: IncomingMessage | undefined;
    const request = send({ ...target, method: form === undefined ? 'GET' : 'POST', headers }, (answer) => {
      got = answer;
      const read = new Headers();
      for (let at = 0; at < answer.rawHeaders.length; at += 2)
        read.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
      readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, headers: read, text }), reject);
    });
    // As patient as browsers are: some modules of Apache go on sending after the end of an answer.
    request.on('error', (error) => (got?.complete ? undefined : reject(error)));
    request.end(form);
  });
}

/** What a page of ours was told. */
export function pageData({ text }: Shown): Record<string, unknown> {
  const [, json = '{}'] = /<script type="application\/json" id="page-data">(.*?)<\/script>/.exec(text) ?? [];
  return JSON.parse(json);
}
