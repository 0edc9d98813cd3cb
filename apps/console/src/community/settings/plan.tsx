import { Button } from '@mantine/core';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Loading, Row, Section, State } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

type Plans = Answer<'GET /communities/plans'>;

/** The plan that the community is on, and those it could be on. Paying happens on the provider's page. */
export function Plan({ communityId }: { communityId: string }) {
  const plans = useOperation('GET /communities/plans', {});
  const current = useOperation('GET /communities/{communityId}/subscriptions', { communityId });
  const openPage = (url: string | undefined) => {
    if (url !== undefined) location.assign(url);
  };
  const buy = useAction('POST /latchkey/plans/{planId}/checkout', { onDone: ({ url }) => openPage(url) });
  const portal = useAction('POST /latchkey/account/billing-portal', { onDone: ({ url }) => openPage(url) });
  const own = new Set(current.data?.map(({ sk }) => sk));
  return (
    <Section
      title="Plan and billing"
      actions={
        current.data?.some(({ price }) => price > 0) === true && (
          <Button size="xs" variant="default" loading={portal.isRunning} onClick={() => portal.run({ body: {} })}>
            Invoices and payment
          </Button>
        )
      }
    >
      {(plans.isPending || current.isPending) && <Loading what="the plans" />}
      <Failure
        error={plans.error ?? current.error}
        onRetry={() => void Promise.all([plans.refetch(), current.refetch()])}
      />
      <ul className={styles.rows}>
        {current.data !== undefined &&
          plans.data?.map((plan) => (
            <li key={plan.sk}>
              <Row
                title={plan.name}
                states={own.has(plan.sk) && <State tone="good">Current</State>}
                note={[priceOf(plan), plan.description].filter(Boolean).join(' · ')}
                {...(!own.has(plan.sk) &&
                  plan.price > 0 && {
                    actions: (
                      <Button
                        size="xs"
                        variant="default"
                        loading={buy.isRunning}
                        onClick={() =>
                          buy.run({
                            planId: plan.sk.replace(/^PLAN#/, ''),
                            body: { subscriberId: communityId, redirectUri: location.href },
                          })
                        }
                      >
                        Choose
                      </Button>
                    ),
                  })}
              />
            </li>
          ))}
      </ul>
      <Failure error={buy.error ?? portal.error} />
    </Section>
  );
}

function priceOf({ price, billingPeriod }: Plans[number]): string {
  if (price === 0) return 'Free';
  const amount = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' }).format(price / 100);
  return `${amount} ${billingPeriod === 'yearly' ? 'a year' : 'a month'}`;
}
