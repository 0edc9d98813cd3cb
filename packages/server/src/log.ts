import { currentOrigin } from '@latchkey/db/origin';
import type { Log } from '@latchkey/kernel';
import pino, { type DestinationStream } from 'pino';
import type { LogLevel } from './config.ts';

/** Field names whose values are never logged, at any depth. */
const secretNames =
  /^(authorization|cookie|set-cookie|x-api-key|password|passwd|secret|.*(secret|token|apikey|api_key|privatekey|private_key|signature|otp|seed|mnemonic|credential)s?|key|code_verifier|code)$/i;
// Credentials in running text: bearer values, our own token and key forms, and passwords inside URLs.
const secretText =
  /\b(?:Bearer|AE|Ethereum)\s+[\w.~+/=-]{8,}|\b(?:lk_[a-z]{2}_|whsec_)[\w+/=-]{8,}|\b[A-Za-z0-9]{10,40}\.[A-Za-z0-9]{32,64}\b|(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g;

export const redacted = '[redacted]';

/** Returns a copy of the fields that is safe to log. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(secretText, redacted);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (depth > 6) return '[deep]';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error)
    return { name: value.name, message: redact(value.message), stack: redact(value.stack ?? '') };
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, secretNames.test(name) ? redacted : redact(item, depth + 1)]),
  );
}

export interface LogSettings {
  logLevel: LogLevel;
  /**
   * Components whose debug lines are always logged: names separated by commas, * as a wildcard at the end, -name to
   * exclude one.
   */
  debugSettings: string;
}

export interface RootLog extends Log {
  settings(): LogSettings;
  apply(settings: Partial<LogSettings>): void;
  flush(): void;
}

/** For commands: scripts capture what they print, such as a token, and the log must not be in it. */
export function createLogBesideOutput(settings: LogSettings): RootLog {
  return createLog(settings, pino.destination({ dest: 2, sync: true }));
}

/** The request that led to a line, and the trace that it is in if that is kept. */
function originOf(): { requestId?: string; traceId?: string } {
  const { requestId, span } = currentOrigin() ?? {};
  const [, traceId] = span?.isKept ? span.traceParent.split('-') : [];
  return { ...(requestId !== undefined && { requestId }), ...(traceId !== undefined && { traceId }) };
}

export function createLog(
  initial: LogSettings,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
): RootLog {
  const writer = pino({ level: 'trace', base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const order: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
  let settings = initial;
  let debugged = matcher(initial.debugSettings);

  function forPart(part: string): Log {
    const write =
      (level: LogLevel) =>
      (message: string, fields: Record<string, unknown> = {}) => {
        if (order[level] < order[settings.logLevel] && !debugged(part)) return;
        writer[level]({ part, ...originOf(), ...(redact(fields) as object) }, String(redact(message)));
      };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error'), for: forPart };
  }

  return {
    ...forPart('latchkey'),
    settings: () => settings,
    apply: (changes) => {
      settings = { ...settings, ...changes };
      debugged = matcher(settings.debugSettings);
    },
    flush: () => writer.flush(),
  };
}

/** Names as the `debug` package accepts them; these two namespaces before a colon map to the components here. */
const namespace = /^(?:collabland|latchkey):/;

function matcher(settings: string): (part: string) => boolean {
  const names = settings.split(/[\s,]+/).filter((name) => name !== '');
  const [hidden = [], shown = []] = [true, false].map((isHidden) =>
    names
      .filter((name) => name.startsWith('-') === isHidden)
      .map((name) => name.replace(/^-/, '').replace(namespace, '')),
  );
  const isAmong = (patterns: readonly string[], part: string) =>
    patterns.some((name) => (name.endsWith('*') ? part.startsWith(name.slice(0, -1)) : name === part));
  return (part) => isAmong(shown, part) && !isAmong(hidden, part);
}
