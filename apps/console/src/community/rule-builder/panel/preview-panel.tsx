import { Button, Text } from '@mantine/core';
import { useAction } from '../../../shared/api/index.ts';
import { Failure, Loading } from '../../../shared/ui/index.ts';
import styles from '../builder.module.css';
import { t } from '../messages/index.ts';
import type { Fields } from '../tree/node.ts';
import { PreviewResult } from './preview-result.tsx';

/** Who would gain and lose the role, checked on request. */
export function PreviewPanel({
  communityId,
  ruleId,
  rule,
}: {
  communityId: string;
  ruleId: string | undefined;
  rule: Fields | undefined;
}) {
  const preview = useAction('POST /latchkey/communities/{communityId}/rule-drafts/preview');
  const run = () => {
    if (rule !== undefined) preview.run({ communityId, body: { rule, ...(ruleId !== undefined && { ruleId }) } });
  };
  return (
    <section className={styles.panel} aria-labelledby="preview-rule">
      <h2 id="preview-rule">{t('preview.title')}</h2>
      {preview.answer === undefined && (
        <Text size="sm" c="dimmed">
          {t('preview.lead')}
        </Text>
      )}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          loading={preview.isRunning}
          disabled={rule === undefined}
          onClick={run}
        >
          {t('preview.run')}
        </Button>
      </div>
      {preview.isRunning && <Loading text={t('preview.loading')} lines={2} />}
      <Failure error={preview.error} onRetry={run} />
      {preview.answer !== undefined && !preview.isRunning && (
        <div role="status" className={styles.board}>
          <PreviewResult preview={preview.answer} />
        </div>
      )}
    </section>
  );
}
