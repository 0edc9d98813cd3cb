import { listOf, op, optional, pageOf, pageParams, text } from '@latchkey/kernel';
import { communityAdmin } from '../communities/index.ts';
import { ExportPart, MemberExport, MemberExportRequest } from './export.ts';
import { getMemberExportContent, listMemberExports } from './reads.ts';
import { startMemberExport } from './start.ts';

const access = communityAdmin('communityId', 'role-manager');
const communityId = text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});

export const memberExportOperations = [
  op(
    'POST /latchkey/communities/{communityId}/member-exports',
    {
      id: 'startMemberExport',
      summary: 'Export members',
      description:
        'Has a worker write a CSV file of the members whom a filter leaves: id, name, roles, number of wallets, guest pass, last activity and last check. No wallet address is in it. Fails with STATE_CONFLICT while 10 exports of the community are being written. For community admins.',
      audit: 'members.export',
      facts: {
        needsNoKey: 'One export too many is deleted after a week.',
        senderDecides: 'search roleIds roleMatch hasWallet hasGuestPass order',
      },
      access,
      params: { communityId },
      body: optional(MemberExportRequest),
      returns: MemberExport,
      errors: ['STATE_CONFLICT'],
    },
    startMemberExport,
  ),
  op(
    'GET /latchkey/communities/{communityId}/member-exports',
    {
      id: 'listMemberExports',
      summary: 'List exports of members',
      description:
        'Returns the last 15 exports of the last 7 days, newest first, with what was asked for. For community admins.',
      access,
      params: { communityId },
      returns: listOf(MemberExport),
    },
    listMemberExports,
  ),
  op(
    'GET /latchkey/communities/{communityId}/member-exports/{exportId}/content',
    {
      id: 'getMemberExportContent',
      summary: 'Download an export of members',
      description:
        'Returns the file part by part, each with up to 1,000 members; joined in order they are one CSV file. Fails with STATE_CONFLICT until the export is done. For community admins.',
      access,
      params: { communityId, exportId: text('The id of the export.', { minLength: 1, maxLength: 64 }), ...pageParams },
      returns: pageOf(ExportPart, 'MemberExportContent'),
      paginated: 'token',
      errors: ['STATE_CONFLICT'],
    },
    getMemberExportContent,
  ),
] as const;
