import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../../../shared/api/index.ts';
import { describeRefusedField, readRefusal } from '../../../shared/refused-fields.ts';
import { Failure, Loading } from '../../../shared/ui/index.ts';
import styles from '../builder.module.css';
import { t } from '../messages/index.ts';
import type { Fields } from '../tree/node.ts';

interface Drafted {
  communityId: string;
  /** The rule that the draft changes; absent for a new one. */
  ruleId?: string | undefined;
  rule: Fields | undefined;
}

interface PanelParts extends Drafted {
  /** An edit gains and loses members; a rule as it was saved does not. */
  isChanged: boolean;
}

/** The rule in a sentence, who gains or loses the role by an edit, what a check costs, and what keeps it from being saved. */
export function DescriptionPanel({ communityId, ruleId, rule, isChanged }: PanelParts) {
  const description = useDescription({ communityId, ruleId, rule });
  return (
    <section className={styles.panel} aria-labelledby="rule-in-words">
      <h2 id="rule-in-words">{t('describe.title')}</h2>
      {rule === undefined ? (
        <Text size="sm">{t('describe.allMuted')}</Text>
      ) : (
        <>
          {description.isLoading && <Loading text={t('describe.loading')} lines={2} />}
          <Failure error={description.error} onRetry={() => void description.refetch()} />
          {description.data?.sentence !== undefined && <p className={styles.sentence}>{description.data.sentence}</p>}
          {description.data !== undefined && description.data.problems.length > 0 && (
            <>
              <Text size="sm" fw={500}>
                {t('describe.problems')}
              </Text>
              <ul className={styles.problems}>
                {description.data.problems.map((problem) => (
                  <li key={`${problem.path} ${problem.message}`}>{describeRefusedField(readRefusal(problem))}</li>
                ))}
              </ul>
            </>
          )}
          {description.data?.warnings.map((warning) => (
            <Text key={warning} size="sm" c="var(--warn)">
              {warning}
            </Text>
          ))}
          {(isChanged ? description.data?.effects : undefined)?.map((effect) => (
            <Text key={effect} size="sm">
              {effect}
            </Text>
          ))}
          {description.data?.reads !== undefined && (
            <Text size="sm" c="dimmed">
              {t('describe.reads', { count: description.data.reads })}
            </Text>
          )}
        </>
      )}
    </section>
  );
}

const route = 'POST /latchkey/communities/{communityId}/rule-drafts/describe';
const pauseMs = 400;
const againMs = 3_000;

/** What a draft means. Asked when typing pauses; what was said before stays until then. */
function useDescription({ communityId, ruleId, rule }: Drafted): UseQueryResult<Answer<typeof route>> {
  const [text] = useDebouncedValue(rule === undefined ? '' : JSON.stringify(rule), pauseMs);
  return useQuery({
    queryKey: [route, communityId, ruleId, text],
    queryFn: ({ signal }) => call(route, { communityId, body: { rule: JSON.parse(text), ruleId } }, { signal }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
    // What prevented a draft from being saved may be gone when it is opened again.
    refetchOnMount: 'always',
    // A platform that was slow once may name its roles the next time.
    refetchInterval: ({ state }) => (state.data?.isPartial === true ? againMs : false),
  });
}
