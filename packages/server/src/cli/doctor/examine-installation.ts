import { statfs } from 'node:fs/promises';
import { type Context, checkHealth, type Finding } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { systemClock } from '../../clock.ts';
import { type Config, loadEnvironment } from '../../config.ts';
import { askEndpoints } from './ask-endpoints.ts';
import { unknownSettings } from './unknown-settings.ts';

const levels = { ok: 'ok', attention: 'warn', failing: 'fail', unknown: 'warn' } as const;
const oldestPostgres = 15;
const clockSeconds = 5;
const gigabyte = 1024 ** 3;

type Examine = (ctx: Context, config: Config) => Promise<Finding[]> | Finding[];

const parts: Readonly<Record<string, Examine>> = {
  settings: (_ctx, { inForce }) => {
    const unknown = unknownSettings(loadEnvironment()).map(({ name, meant }): Finding => {
      const instead = meant === undefined ? 'docs/configuration.md lists all settings.' : `Did you mean ${meant}?`;
      return { level: 'warn', about: 'settings', says: `${name} is not a setting, so it changes nothing. ${instead}` };
    });
    const dangerous = inForce.flatMap(({ name, warning }): Finding[] =>
      warning === undefined ? [] : [{ level: 'warn', about: name, says: warning }],
    );
    const count = inForce.filter(({ isSet }) => isSet).length;
    return [{ level: 'ok', about: 'settings', says: `${count} set, all of them valid.` }, ...unknown, ...dangerous];
  },
  database: async (ctx) => {
    const { rows } = await sql<{ version: number; now: Date; size: string }>`
      select current_setting('server_version_num')::int / 10000 as version, clock_timestamp() as now,
        pg_size_pretty(pg_database_size(current_database())) as size`.execute(ctx.db.system);
    const [{ version, now, size } = { version: 0, now: new Date(0), size: '' }] = rows;
    // The clock of the context is the database's own.
    const apart = Math.abs(systemClock().getTime() - now.getTime()) / 1000;
    return [
      version >= oldestPostgres
        ? { level: 'ok', about: 'database', says: `PostgreSQL ${version}, ${size}, with all migrations applied.` }
        : {
            level: 'fail',
            about: 'database',
            says: `PostgreSQL ${version} is too old. Use ${oldestPostgres} or later.`,
          },
      apart <= clockSeconds
        ? { level: 'ok', about: 'clock', says: 'This machine and the database agree on the time.' }
        : {
            level: 'warn',
            about: 'clock',
            says: `This machine and the database are ${apart.toFixed()} seconds apart. Set both by NTP: tokens expire by the clock.`,
          },
    ];
  },
  // The command line has opened a sealed value with them before it came here, or ended.
  keys: () => [{ level: 'ok', about: 'keys', says: 'The master keys open what is sealed in the database.' }],
  platforms: async ({ discord, telegram }) => {
    const asked: Finding[] = [];
    if (discord !== undefined) asked.push(await askBot('Discord', () => discord.botName()));
    if (telegram !== undefined) asked.push(await askBot('Telegram', () => telegram.botName()));
    return asked;
  },
  chains: (_ctx, { evmRpcUrls }) => askEndpoints(evmRpcUrls),
  disk: async (_ctx, { dataDir, databaseUrl }) => {
    if (databaseUrl !== undefined) return [];
    const { bavail, bsize } = await statfs(dataDir);
    const free = (bavail * bsize) / gigabyte;
    const says = `${free.toFixed(1)} GB are free where the embedded database lies.`;
    if (free >= 1) return [{ level: 'ok', about: 'disk', says }];
    return [{ level: free < 0.1 ? 'fail' : 'warn', about: 'disk', says: `${says} Make room: a full disk stops it.` }];
  },
  health: async (ctx) => {
    const { checks } = await checkHealth(ctx);
    return checks
      .filter(({ subject }) => subject !== 'settings')
      .map(({ subject, state, summary, advice }) => ({
        level: levels[state],
        about: subject,
        says: [summary, advice ?? ''].join(' ').trim(),
      }));
  },
  versions: () => [{ level: 'ok', about: 'versions', says: `Node.js ${process.versions.node}, ${process.arch}.` }],
};

/** Looks at everything that an operator sets up. A part that cannot be looked at says so, and holds up no other. */
export async function examineInstallation(ctx: Context, config: Config): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(parts).map(async ([about, examine]): Promise<Finding[]> => {
      try {
        return await examine(ctx, config);
      } catch (error) {
        ctx.log.for('doctor').warn('A part could not be examined.', { about, error });
        return [{ level: 'warn', about, says: 'This could not be examined; the log says why.' }];
      }
    }),
  );
  return found.flat();
}

async function askBot(title: string, name: () => Promise<string>): Promise<Finding> {
  try {
    return { level: 'ok', about: title, says: `The bot is called ${await name()}.` };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no reason given';
    return { level: 'fail', about: title, says: `The bot cannot be asked: ${why}` };
  }
}
