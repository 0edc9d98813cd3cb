import { addDays, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { type CommunityMember, describeMembers, foundMembers } from '../../communities/members/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { type ExportRow, keptDays } from './export.ts';
import { deleteOldExports, deleteParts, insertPart, selectExport, updateExport } from './queries.ts';

const partMembers = 1_000;
const header = ['id', 'name', 'roles', 'wallets', 'guest pass', 'last active', 'last checked'];

type WriteContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log'>;

/** Writes an export part by part. If it runs again, it starts over. */
export async function writeMembers(ctx: WriteContext, exportId: string, signal: AbortSignal): Promise<void> {
  const row = await selectExport(ctx.db.system, exportId);
  const community = row && (await selectCommunity(ctx.db.system, row.community_id));
  if (row === undefined || community === undefined || row.status === 'done') return;
  const news = { changed: 'members', id: exportId, community: community.id } as const;
  await deleteParts(ctx.db.system, exportId);
  await updateExport(ctx.db.system, exportId, { status: 'running', members: 0, problem: null });
  try {
    await writeParts(ctx, row, community, signal);
    await updateExport(ctx.db.system, exportId, { status: 'done', finished_at: ctx.clock() });
    await announce(ctx.db.system, news);
  } catch (error) {
    const problem = 'The members could not be read. Start another export.';
    await updateExport(ctx.db.system, exportId, { status: 'failed', finished_at: ctx.clock(), problem });
    await announce(ctx.db.system, news);
    throw error;
  }
}

async function writeParts(ctx: WriteContext, row: ExportRow, community: CommunityRow, signal: AbortSignal) {
  // The requester's permissions decide whether a search by address matches.
  const viewerId = row.created_by.startsWith('$') ? undefined : row.created_by;
  const source = await foundMembers(ctx, community, row.filter, viewerId);
  let after: readonly string[] | undefined;
  for (let part = 0, members = 0; ; part += 1) {
    signal.throwIfAborted();
    const page = await source.read(after, partMembers);
    const described = await describeMembers(ctx, community, page);
    const lines = described.map((member) => csvLine(cellsOf(member)));
    members += page.length;
    await ctx.db.transaction('system', async (tx) => {
      await insertPart(tx, row.id, part, [...(part === 0 ? [csvLine(header)] : []), ...lines].join(''));
      await updateExport(tx, row.id, { members });
    });
    const last = page.at(-1);
    if (page.length < partMembers || last === undefined) return;
    after = source.cursorOf(last);
  }
}

function cellsOf(member: CommunityMember): string[] {
  return [
    member.platformUserId,
    member.userName ?? '',
    member.roles.map(({ roleId, roleName }) => roleName ?? roleId).join('; '),
    String(member.wallets),
    member.hasGuestPass ? 'yes' : 'no',
    member.lastActiveTime ?? '',
    member.checkedTime ?? '',
  ];
}

/**
 * Returns one line of CSV (RFC 4180). Names are user input: a cell that a spreadsheet would interpret as a formula is
 * marked as text, so that opening the file executes nothing.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string): string {
  // Spreadsheets also accept full-width signs, and skip spaces and control characters before them.
  const plain = /^[\s\p{C}]*[=+\-@＝＋－＠]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) || plain !== value ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export const writeExport = job(
  'member-exports.write',
  { payload: shape(T.Object({ exportId: text('The export.', { maxLength: 64 }) })), timeoutSeconds: 600 },
  (ctx: Context, { exportId }, { signal }) => writeMembers(ctx, exportId, signal),
);

const batchSize = 100;

export const removeOldExports = job(
  'member-exports.remove-old',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    const before = addDays(ctx.clock(), -keptDays);
    while (!signal.aborted && (await deleteOldExports(ctx.db.system, before, batchSize)) === batchSize);
  },
);

export const memberExportJobs = [writeExport, removeOldExports] as const;

export const memberExportSchedules: readonly Schedule[] = [
  { name: 'member-exports.remove-old', cron: '23 * * * *', job: removeOldExports },
];
