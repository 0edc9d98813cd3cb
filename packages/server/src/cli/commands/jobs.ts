import { countByState, listDead, retryDead } from '@latchkey/db';
import { type Command, need, numberOf, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const jobs: Command = {
  usage: 'jobs | dead [--limit 20] | retry <id>|all',
  meaning: 'show the job queue, list dead jobs or retry them',
  words: 2,
  options: { limit: option.limit },
  run: async (ctx, [verb, id], options) => {
    const sql = ctx.db.system;
    switch (verb) {
      case undefined:
        return printTable([
          ['STATE', 'JOBS'],
          ...Object.entries(await countByState(sql)).map(([state, count]) => [state, String(count)]),
        ]);
      case 'dead': {
        const dead = await listDead(sql, { limit: numberOf(options.limit, 20, 'limit') });
        return printTable([
          ['ID', 'NAME', 'FAILURES', 'LAST ERROR'],
          ...dead.map((job) => [job.id, job.name, String(job.failures), job.lastError]),
        ]);
      }
      case 'retry': {
        const which = need(id, 'job id, or all');
        if (which !== 'all' && !/^\d{1,15}$/.test(which)) throw new UsageError('Pass the id of a dead job, or all.');
        const count = await runAudited(ctx, { action: 'jobs.retry', target: which }, () => retryDead(sql, which));
        return print(`${count} jobs will be retried.`);
      }
      default:
        throw unknownSubcommand(verb);
    }
  },
};
