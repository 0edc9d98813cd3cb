import { listAlive } from '@latchkey/db';
import { admin, choice, listOf, op, record, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { ChainState, listChainStates } from './chains.ts';
import { checkHealth, HealthReport } from './check.ts';

const RunningProcess = record('RunningProcess', 'A process of this installation that reported lately.', {
  id: text('Names the process.'),
  kind: choice('What it does.', ['server', 'worker', 'other']),
  hostName: text('The machine it runs on.'),
  pid: T.Number({ description: 'Its number there.' }),
  logLevel: text('How much it logs.'),
  startedTime: text('When it started, in ISO 8601.'),
  seenTime: text('When it last reported, in ISO 8601.'),
});

const kinds: Readonly<Record<string, 'server' | 'worker'>> = { APIServer: 'server', JobServer: 'worker' };

export const healthOperations = [
  op(
    'GET /latchkey/operator/health',
    {
      id: 'checkHealth',
      summary: 'Check the installation',
      description:
        'Returns how the database, processes, jobs, chains, chat platforms, data from outside services, mails and settings are doing, each with what to do. For the operator.',
      access: admin(),
      returns: HealthReport,
    },
    checkHealth,
  ),
  op(
    'GET /latchkey/operator/processes',
    {
      id: 'listProcesses',
      summary: 'List running processes',
      description: 'Returns the servers and workers that reported within the last 15 seconds. For the operator.',
      access: admin(),
      returns: listOf(RunningProcess, 'The processes, oldest first.'),
    },
    async (ctx: Pick<Context, 'db'>) =>
      (await listAlive(ctx.db.system)).map((process) => ({
        id: process.id,
        kind: kinds[process.serverType] ?? 'other',
        hostName: process.hostName,
        pid: process.pid,
        logLevel: process.logLevel,
        startedTime: process.startedAt.toISOString(),
        seenTime: process.seenAt.toISOString(),
      })),
  ),
  op(
    'GET /latchkey/operator/chains',
    {
      id: 'listChainStates',
      summary: 'List chains and their endpoints',
      description:
        'Returns how far each chain is followed, and how well its endpoints answer the processes of this installation. For the operator.',
      access: admin(),
      returns: listOf(ChainState, 'The chains, by name.'),
    },
    listChainStates,
  ),
] as const;
