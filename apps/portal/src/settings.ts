/** What the host of the site can configure without rebuilding it: `settings.json` beside the pages. */
export interface Settings {
  /** The API that the reference and the home page call. */
  apiUrl: string | undefined;
  search: { kind: 'embedded' } | { kind: 'hosted'; appId: string; apiKey: string; indexName: string };
  ask: { kind: 'embedded' } | { kind: 'none' } | { kind: 'script'; src: string };
  /** Where page views are sent. Undefined turns them off. */
  analytics: { endpoint: string } | undefined;
  /** Which parts of the server its operator has set up. Parts that are not listed are unknown. */
  setUp: Readonly<Record<string, boolean>>;
}

export const defaultSettings: Settings = {
  apiUrl: undefined,
  search: { kind: 'embedded' },
  ask: { kind: 'embedded' },
  analytics: undefined,
  setUp: {},
};

let loading: Promise<Settings> | undefined;
let known: Settings | undefined;

/** Returns the settings, once they have been read. */
export function knownSettings(): Settings | undefined {
  return known;
}

/** Reads the settings once. A site without the file, or with a broken one, uses the defaults. */
export function loadSettings(baseUrl: string): Promise<Settings> {
  loading ??= fetch(`${baseUrl}settings.json`)
    .then((answer) => (answer.ok ? answer.json() : {}))
    .then((chosen: Partial<Settings>) => ({
      ...defaultSettings,
      ...chosen,
      apiUrl: chosen.apiUrl?.replace(/\/+$/, ''),
    }))
    .catch(() => defaultSettings)
    .then((settings) => {
      known = settings;
      return settings;
    });
  return loading;
}
