import { observed } from '@latchkey/kernel';
import type { MetricName } from './declared.ts';

type Labels = Record<string, string>;

export interface Counting {
  count(name: MetricName, labels: Labels): void;
  observe(name: MetricName, labels: Labels, seconds: number): void;
  set(name: MetricName, labels: Labels, value: number): void;
}

/** Counts what happens in this process from now on. Answers with how to stop. */
export function listenToEvents({ count, observe, set }: Counting): () => void {
  const ends = [
    observed.signIn.listen(({ way }) => count('latchkey_sign_ins_total', { way })),
    observed.refusal.listen(({ code }) => count('latchkey_http_refusals_total', { code })),
    observed.endpointRead.listen((read) => count('latchkey_endpoint_reads_total', read)),
    observed.dependencyFailure.listen((failure) => count('latchkey_dependency_failures_total', failure)),
    observed.webhookAttempt.listen((attempt) => count('latchkey_webhook_attempts_total', attempt)),
    observed.signature.listen((answer) => count('latchkey_signatures_total', answer)),
    observed.roleChange.listen(({ platform, action, outcome, cause, seconds }) => {
      count('latchkey_role_changes_total', { platform, action, outcome });
      if (cause !== undefined && seconds !== undefined) observe('latchkey_role_delay_seconds', { cause }, seconds);
    }),
    observed.job.listen(({ name, outcome, seconds }) => {
      count('latchkey_job_runs_total', { name, outcome });
      observe('latchkey_job_seconds', { name }, seconds);
    }),
    observed.gateway.listen(({ platform, shard, isOpen, code }) => {
      set('latchkey_gateway_open', { platform, shard }, isOpen ? 1 : 0);
      if (code !== undefined) count('latchkey_gateway_closes_total', { platform, code });
    }),
    observed.gatewayStopped.listen(({ platform, shard, isStopped }) =>
      set('latchkey_gateway_stopped', { platform, shard }, isStopped ? 1 : 0),
    ),
    observed.malformedEntry.listen((entry) => count('latchkey_malformed_entries_total', entry)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
