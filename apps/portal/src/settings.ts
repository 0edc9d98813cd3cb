/** What the host of the site can choose without rebuilding it: `settings.json` beside the pages. */
export interface Settings {
  /** The API that the reference and the home page talk to. */
  apiUrl: string | undefined;
  search: { kind: 'embedded' } | { kind: 'hosted'; appId: string; apiKey: string; indexName: string };
  ask: { kind: 'embedded' } | { kind: 'none' } | { kind: 'script'; src: string };
  /** Where page views are sent. Nowhere without it. */
  analytics: { endpoint: string } | undefined;
  /** Which parts of the server its operator has set up. Nothing is known of parts that are not named. */
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

/** The settings, once they have been read. */
export function knownSettings(): Settings | undefined {
  return known;
}

/** Reads the settings once. A site without the file, or with a broken one, keeps to the defaults. */
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
