import { Stack, Table, Text } from '@mantine/core';
import { chainName } from '../../parts/chain-name.ts';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { EmptyState, Page, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from '../operator.module.css';

type Chain = Answer<'GET /latchkey/operator/chains'>[number];

const lateSeconds = 120;

/** Each chain: how far it is followed, and how healthy its endpoints are. */
export function View() {
  const chains = useOperation('GET /latchkey/operator/chains', {});
  return (
    <Page title={t('chains.title')} lead={t('chains.lead')}>
      <Query read={chains} loading={t('chains.loading')}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('chains.emptyTitle')}>{t('chains.empty')}</EmptyState>
          ) : (
            <Stack gap="xl">
              {all.map((chain) => (
                <ChainPart key={chain.chain} chain={chain} />
              ))}
            </Stack>
          )
        }
      </Query>
    </Page>
  );
}

function ChainPart({ chain }: { chain: Chain }) {
  const chainTitle = chainName(chain.chain);
  return (
    <Section title={chainTitle} lead={<Position chain={chain} />}>
      {chain.endpoints.length === 0 ? (
        <Text c="dimmed">{t('chains.noEndpoint')}</Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        <section className={styles.table} aria-label={t('chains.endpointsOf', { chain: chainTitle })} tabIndex={0}>
          <Table verticalSpacing="xs" horizontalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('chains.endpoint')}</Table.Th>
                <Table.Th>{t('chains.state')}</Table.Th>
                <Table.Th>{t('chains.errors')}</Table.Th>
                <Table.Th>{t('chains.block')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {chain.endpoints.map(({ name, host, isLeftAlone, errorRate, newestBlock }) => (
                <Table.Tr key={name}>
                  <Table.Td className={styles.name}>
                    {name}{' '}
                    <Text span c="dimmed" size="xs">
                      {host}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {isLeftAlone ? (
                      <State tone="bad">{t('chains.paused')}</State>
                    ) : (
                      <State tone="good">{t('chains.answers')}</State>
                    )}
                  </Table.Td>
                  <Table.Td>{Math.round(errorRate * 100)} %</Table.Td>
                  <Table.Td>{newestBlock === undefined ? '–' : t.number(newestBlock)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </Section>
  );
}

function Position({ chain: { isFollowed, block, blocksBehind, followedTime, secondsBehind = 0 } }: { chain: Chain }) {
  if (!isFollowed || block === undefined) return t('chains.notFollowed');
  return (
    <>
      {secondsBehind > lateSeconds ? (
        <State tone="bad">{t('chains.behind')}</State>
      ) : (
        <State tone="good">{t('chains.upToDate')}</State>
      )}{' '}
      {t('chains.atBlock', { block })}
      {blocksBehind !== undefined && `, ${t('chains.blocksBehind', { count: blocksBehind })}`}
      {followedTime !== undefined && (
        <>, {t.rich('chains.reachedEnd', { time: <Time key="time" at={followedTime} isRelative /> })}</>
      )}
    </>
  );
}
