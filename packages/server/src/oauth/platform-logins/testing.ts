import { type IncomingMessage, request as send } from 'node:http';
import { text as readText } from 'node:stream/consumers';

/** A page as a browser received it. */
export interface Shown {
  url: string;
  status: number;
  headers: Headers;
  text: string;
  /** The redirect target, if any. */
  location: string;
}

/** A browser without scripts: it keeps cookies by host and follows redirects one step at a time. */
export class PlainBrowser {
  readonly #jars = new Map<string, Map<string, string>>();

  get(url: string): Promise<Shown> {
    return this.#visit(url);
  }

  /** Submits the form of a page to the page's URL. */
  submit(page: Shown, fields: Record<string, string>): Promise<Shown> {
    return this.#visit(page.url, new URLSearchParams(fields).toString());
  }

  cookies(url: string): ReadonlyMap<string, string> {
    return this.#jarOf(url);
  }

  /** Deletes the cookies of a host. */
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

/** Uses node:http, since fetch marks its requests as not being navigations, which servers treat differently. */
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
    // As tolerant as browsers: some Apache modules keep sending after the end of a response.
    request.on('error', (error) => (got?.complete ? undefined : reject(error)));
    request.end(form);
  });
}

/** Returns the data of one of our pages. */
export function pageData({ text }: Shown): Record<string, unknown> {
  const [, json = '{}'] = /<script type="application\/json" id="page-data">(.*?)<\/script>/.exec(text) ?? [];
  return JSON.parse(json);
}
