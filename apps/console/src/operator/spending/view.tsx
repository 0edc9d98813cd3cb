import { Progress, Stack, Text } from '@mantine/core';
import { chainName } from '../../parts/chain-name.ts';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { CopyText, EmptyState, List, Page, Query, Row, Section, State } from '../../shared/ui/index.ts';
import { formatUnits } from '../../shared/words.ts';

type Budget = Answer<'GET /latchkey/operator/spending'>['budgets'][number];

/** What this server pays for others, and the accounts that need funding. */
export function View() {
  const spending = useOperation('GET /latchkey/operator/spending', {});
  return (
    <Page title="Spending" lead="Fees that this server pays for others, within 24 hours.">
      <Query read={spending} what="spending">
        {({ spenders, budgets, walletFeesPaidBy, walletChainId, registry }) => (
          <Stack gap="xl">
            <Section
              title="Budgets"
              lead={
                spenders.length === 0
                  ? 'Only you may have this server pay. Set LATCHKEY_SPENDERS to allow others.'
                  : `It pays for: ${spenders.join(', ')}.`
              }
            >
              <List
                items={budgets}
                keyOf={({ coin }) => coin}
                empty={
                  <EmptyState title="No budget is set">
                    Set both limits of a coin, for example LATCHKEY_WALLET_SPEND_PER_DAY and
                    LATCHKEY_WALLET_SPEND_PER_CALLER.
                  </EmptyState>
                }
              >
                {(budget) => <BudgetRow budget={budget} />}
              </List>
            </Section>
            <Section title="Accounts that need money for fees">
              {walletFeesPaidBy === undefined && registry === undefined ? (
                <EmptyState title="None">
                  Neither wallets of communities nor a registry of hosted wallets are set up.
                </EmptyState>
              ) : (
                <Stack gap="sm">
                  {walletFeesPaidBy !== undefined && (
                    <Row
                      title={`Wallets of communities and organizations on ${chainName(`evm:${walletChainId}`)}`}
                      note={<CopyText text={walletFeesPaidBy} what="address" />}
                    />
                  )}
                  {registry !== undefined && (
                    <Row
                      title={`Registry of hosted wallets on ${chainName(`evm:${registry.chainId}`)}`}
                      note={
                        <>
                          Registrar <CopyText text={registry.registrar} what="address of the registrar" />
                          <br />
                          Contract <CopyText text={registry.address} what="address of the contract" />
                        </>
                      }
                    />
                  )}
                </Stack>
              )}
            </Section>
          </Stack>
        )}
      </Query>
    </Page>
  );
}

function BudgetRow({ budget: { coin, decimals, spent, limit, perCaller, callers } }: { budget: Budget }) {
  const share = BigInt(limit) === 0n ? 0 : Number((BigInt(spent) * 1000n) / BigInt(limit)) / 10;
  return (
    <Stack gap="xs">
      <Row
        title={coinInWords(coin)}
        states={<State tone={share >= 90 ? 'bad' : share >= 60 ? 'warn' : 'good'}>{share} % used</State>}
        note={`${formatUnits(spent, decimals)} of ${formatUnits(limit, decimals)}, up to ${formatUnits(perCaller, decimals)} for one caller`}
      />
      <Progress value={Math.min(100, share)} aria-label={`${share} % of the budget for ${coinInWords(coin)} is used`} />
      {callers.map(({ callerId, spent: amount }) => (
        <Text key={callerId} size="sm" c="dimmed">
          {formatUnits(amount, decimals)} for {callerId}
        </Text>
      ))}
    </Stack>
  );
}

/** A coin is a chain, with its purpose if several budgets share one chain: `evm:1/wallets`. */
function coinInWords(coin: string): string {
  const [chain = '', purpose] = coin.split('/');
  return purpose === undefined ? chainName(chain) : `${chainName(chain)}, ${purpose}`;
}
