import { Stack, Table, Text } from '@mantine/core';
import { chainName } from '../../parts/chain-name.ts';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { EmptyState, Page, Query, Section, State, Time } from '../../shared/ui/index.ts';
import styles from '../operator.module.css';

type Chain = Answer<'GET /latchkey/operator/chains'>[number];

const lateSeconds = 120;

/** Each chain: how far it is followed, and how healthy its endpoints are. */
export function View() {
  const chains = useOperation('GET /latchkey/operator/chains', {});
  return (
    <Page
      title="Chains"
      lead="How far transfers are followed, and how well each endpoint responds. Endpoints are named by their position in the settings."
    >
      <Query read={chains} what="chains">
        {(all) =>
          all.length === 0 ? (
            <EmptyState title="No chain has been read yet">
              Set LATCHKEY_EVM_RPC_URLS, and add a rule that looks at a token.
            </EmptyState>
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
  return (
    <Section title={chainName(chain.chain)} lead={<Position chain={chain} />}>
      {chain.endpoints.length === 0 ? (
        <Text c="dimmed">No running process asks an endpoint of this chain.</Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        <section className={styles.table} aria-label={`Endpoints of ${chainName(chain.chain)}`} tabIndex={0}>
          <Table verticalSpacing="xs" horizontalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Endpoint</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Errors</Table.Th>
                <Table.Th>Block</Table.Th>
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
                    {isLeftAlone ? <State tone="bad">Paused after failures</State> : <State tone="good">Answers</State>}
                  </Table.Td>
                  <Table.Td>{Math.round(errorRate * 100)} %</Table.Td>
                  <Table.Td>{newestBlock?.toLocaleString() ?? '–'}</Table.Td>
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
  if (!isFollowed || block === undefined) return <>Not followed: no rule looks at a token that announces transfers.</>;
  return (
    <>
      {secondsBehind > lateSeconds ? <State tone="bad">Behind</State> : <State tone="good">Up to date</State>} Block{' '}
      {block.toLocaleString()}
      {blocksBehind !== undefined && `, ${blocksBehind.toLocaleString()} behind the newest`}
      {followedTime !== undefined && (
        <>
          , reached the end <Time at={followedTime} isRelative />
        </>
      )}
    </>
  );
}
