import { addDays, choice, record, shape, T, text, type ValueOf } from '@latchkey/kernel';
import { memberFilter } from '../../communities/members/index.ts';

export const MemberExportRequest = shape(
  T.Object(memberFilter, { description: 'Which members to export, with the same filters as the member list.' }),
);
export type MemberExportRequest = ValueOf<typeof MemberExportRequest>;

export const MemberExport = record('MemberExport', 'A list of members as a CSV file.', {
  id: text('The id of the export.'),
  communityId: text('The qualified id of the community.'),
  filter: MemberExportRequest,
  status: choice('waiting and running: a worker writes it. done: ready to download. failed: start another one.', [
    'waiting',
    'running',
    'done',
    'failed',
  ] as const),
  members: T.Number({ description: 'How many members are in it so far.', minimum: 0 }),
  problem: T.Optional(text('Why it failed.')),
  createdBy: text('Who started it; $admin is the operator.'),
  createdByName: T.Optional(text('Their display name on the platform; absent if unknown.', { maxLength: 5000 })),
  createdTime: text('When it was started, in ISO 8601.'),
  finishedTime: T.Optional(text('When it finished, in ISO 8601.')),
  expiresTime: text('When it is deleted, in ISO 8601.'),
});
export type MemberExport = ValueOf<typeof MemberExport>;

export const ExportPart = record('MemberExportPart', 'A part of the file, in whole lines.', {
  content: text('Lines of CSV (RFC 4180), the first of all being the header.', { maxLength: 10_000_000 }),
});
export type ExportPart = ValueOf<typeof ExportPart>;

export const keptDays = 7;
export const mostKept = 15;

export function expiryOf(createdAt: Date): Date {
  return addDays(createdAt, keptDays);
}

export interface ExportRow {
  id: string;
  community_id: string;
  filter: MemberExportRequest;
  status: 'waiting' | 'running' | 'done' | 'failed';
  created_by: string;
  created_at: Date;
  finished_at: Date | null;
  members: number;
  problem: string | null;
}

export function toMemberExport(row: ExportRow, nameOf: (userId: string) => string | undefined): MemberExport {
  return {
    id: row.id,
    communityId: row.community_id,
    filter: row.filter,
    status: row.status,
    members: row.members,
    problem: row.problem ?? undefined,
    createdBy: row.created_by,
    createdByName: nameOf(row.created_by),
    createdTime: row.created_at.toISOString(),
    finishedTime: row.finished_at?.toISOString(),
    expiresTime: expiryOf(row.created_at).toISOString(),
  };
}
