import { Progress, Stack, Text } from '@mantine/core';
import { chainName } from '../../parts/chain-name.ts';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { CopyText, EmptyState, List, Page, Query, Row, Section, State } from '../../shared/ui/index.ts';
import { formatUnits } from '../../shared/words.ts';
import { t } from '../messages/index.ts';

type Budget = Answer<'GET /latchkey/operator/spending'>['budgets'][number];

/** What this server pays for others, and the accounts that need funding. */
export function View() {
  const spending = useOperation('GET /latchkey/operator/spending', {});
  return (
    <Page title={t('spending.title')} lead={t('spending.lead')}>
      <Query read={spending} loading={t('spending.loading')}>
        {({ spenders, budgets, walletFeesPaidBy, walletChainId, registry }) => (
          <Stack gap="xl">
            <Section
              title={t('spending.budgets')}
              lead={
                spenders.length === 0 ? t('spending.onlyYou') : t('spending.paysFor', { spenders: t.list(spenders) })
              }
            >
              <List
                items={budgets}
                keyOf={({ coin }) => coin}
                empty={<EmptyState title={t('spending.emptyTitle')}>{t('spending.empty')}</EmptyState>}
              >
                {(budget) => <BudgetRow budget={budget} />}
              </List>
            </Section>
            <Section title={t('spending.accounts')}>
              {walletFeesPaidBy === undefined && registry === undefined ? (
                <EmptyState title={t('spending.noneTitle')}>{t('spending.none')}</EmptyState>
              ) : (
                <Stack gap="sm">
                  {walletFeesPaidBy !== undefined && (
                    <Row
                      title={t('spending.wallets', { chain: chainName(`evm:${walletChainId}`) })}
                      note={<CopyText text={walletFeesPaidBy} what={t('common.address')} />}
                    />
                  )}
                  {registry !== undefined && (
                    <Row
                      title={t('spending.registry', { chain: chainName(`evm:${registry.chainId}`) })}
                      note={
                        <>
                          {t.rich('spending.registrar', {
                            address: (
                              <CopyText key="address" text={registry.registrar} what={t('spending.registrarWhat')} />
                            ),
                          })}
                          <br />
                          {t.rich('spending.contract', {
                            address: (
                              <CopyText key="address" text={registry.address} what={t('spending.contractWhat')} />
                            ),
                          })}
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
        states={
          <State tone={share >= 90 ? 'bad' : share >= 60 ? 'warn' : 'good'}>{t('spending.used', { share })}</State>
        }
        note={t('spending.amounts', {
          spent: formatUnits(spent, decimals),
          limit: formatUnits(limit, decimals),
          perCaller: formatUnits(perCaller, decimals),
        })}
      />
      <Progress value={Math.min(100, share)} aria-label={t('spending.usedOf', { share, coin: coinInWords(coin) })} />
      {callers.map(({ callerId, spent: amount }) => (
        <Text key={callerId} size="sm" c="dimmed">
          {t('spending.forCaller', { amount: formatUnits(amount, decimals), caller: callerId })}
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
