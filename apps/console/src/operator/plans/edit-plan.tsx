import { ActionIcon, Button, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { IconPlus, IconTrash } from '../../shared/icons.ts';
import { Dialog, Form, useForm } from '../../shared/ui/index.ts';
import { currencyDigits } from '../../shared/words.ts';
import { t } from '../messages/index.ts';
import styles from '../operator.module.css';

type Plan = Answer<'GET /latchkey/plans'>[number];

const audiences = ['community', 'organization'] as const;

/** One plan. What the form does not show (features, scopes, request limits, locks) is kept. */
export function EditPlan({ plan, onClose }: { plan: Plan | undefined; onClose(): void }) {
  const save = useAction('PUT /latchkey/plans/{planId}', {
    done: t('editPlan.saved'),
    changes: ['GET /latchkey/plans'],
    onDone: onClose,
  });
  const form = useForm(
    {
      id: plan?.id ?? '',
      audience: plan?.audience ?? 'community',
      name: plan?.name ?? '',
      description: plan?.description ?? '',
      prices: plan?.prices ?? [],
      maxClientApps: (plan?.maxClientApps ?? 3) as number | string,
      maxMiniApps: (plan?.maxMiniApps ?? 3) as number | string,
      offeredUntil: plan?.offeredUntil?.slice(0, 10) ?? '',
    },
    save.error,
  );
  const { audience, prices, maxClientApps, maxMiniApps, offeredUntil } = form.values;
  const [id, name, description] = [form.values.id.trim(), form.values.name.trim(), form.values.description.trim()];
  const send = () => {
    const { id: _id, description: _description, offeredUntil: _until, ...kept } = plan ?? {};
    save.run({
      planId: id,
      body: {
        ...kept,
        audience,
        name,
        prices,
        ...(description !== '' && { description }),
        ...(typeof maxClientApps === 'number' && { maxClientApps }),
        ...(typeof maxMiniApps === 'number' && { maxMiniApps }),
        ...(offeredUntil !== '' && { offeredUntil: new Date(`${offeredUntil}T00:00:00Z`).toISOString() }),
      },
    });
  };
  return (
    <Dialog
      title={plan === undefined ? t('editPlan.createTitle') : t('editPlan.title', { name: plan.name })}
      size="large"
      onClose={onClose}
    >
      <Form
        submit={t(plan === undefined ? 'editPlan.create' : 'editPlan.save')}
        canSubmit={id !== '' && name !== ''}
        action={save}
        onSubmit={send}
      >
        {plan === undefined && (
          <>
            <TextInput
              label={t('editPlan.id')}
              description={t('editPlan.idHint')}
              required
              maxLength={64}
              {...form.text('id')}
            />
            <Select
              label={t('editPlan.audience')}
              data={audiences.map((value) => ({ value, label: t(`editPlan.${value}`) }))}
              allowDeselect={false}
              {...form.choice('audience')}
            />
          </>
        )}
        <TextInput label={t('common.name')} required maxLength={100} {...form.text('name')} />
        <Textarea label={t('editPlan.description')} maxLength={1000} autosize {...form.text('description')} />
        <PriceRows prices={prices} onChange={(changed) => form.set({ prices: changed })} />
        {audience === 'organization' && (
          <Group grow>
            <NumberInput
              label={t('editPlan.applications')}
              min={0}
              allowDecimal={false}
              {...form.choice('maxClientApps')}
            />
            <NumberInput label={t('editPlan.miniApps')} min={0} allowDecimal={false} {...form.choice('maxMiniApps')} />
          </Group>
        )}
        <TextInput
          label={t('editPlan.until')}
          description={t('editPlan.untilHint')}
          type="date"
          {...form.text('offeredUntil')}
        />
        {plan !== undefined && (
          <Text size="sm" c="dimmed">
            {t('editPlan.effect')}
          </Text>
        )}
      </Form>
    </Dialog>
  );
}

type Prices = Answer<'GET /latchkey/plans'>[number]['prices'];
type OnePrice = Prices[number];

const periods = ['monthly', 'yearly'] as const;

/** The prices of a plan, by period and currency. A changed price is a new one: its id at the payment provider is dropped. */
function PriceRows({ prices, onChange }: { prices: Prices; onChange(prices: Prices): void }) {
  const replace = (index: number, change: Partial<Omit<OnePrice, 'priceId'>>) =>
    onChange(
      prices.map((price, place) => {
        if (place !== index) return price;
        const { priceId: _priceId, ...rest } = price;
        return { ...rest, ...change };
      }),
    );
  return (
    <fieldset className={styles.fieldset}>
      <legend>{t('editPlan.prices')}</legend>
      <Stack gap="sm">
        {prices.map((price, index) => {
          const digits = currencyDigits(price.currency);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is what stands in its place, whatever is typed there
            <Group key={index} gap="xs" align="flex-end">
              <NumberInput
                className={styles.amount}
                label={t('editPlan.amount')}
                min={0}
                decimalScale={digits}
                value={price.amount / 10 ** digits}
                onChange={(value) => replace(index, { amount: Math.round(Number(value) * 10 ** digits) })}
              />
              <TextInput
                className={styles.currency}
                label={t('editPlan.currency')}
                maxLength={3}
                value={price.currency}
                onChange={(event) => replace(index, { currency: event.currentTarget.value.toLowerCase() })}
              />
              <Select
                className={styles.period}
                label={t('editPlan.due')}
                data={periods.map((value) => ({ value, label: t(`editPlan.${value}`) }))}
                value={price.billingPeriod}
                allowDeselect={false}
                onChange={(chosen) => replace(index, { billingPeriod: chosen === 'yearly' ? 'yearly' : 'monthly' })}
              />
              <ActionIcon
                variant="subtle"
                color="red"
                size="lg"
                aria-label={t('editPlan.removePrice', { position: index + 1 })}
                onClick={() => onChange(prices.filter((_, place) => place !== index))}
              >
                <IconTrash size={18} />
              </ActionIcon>
            </Group>
          );
        })}
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...prices, { billingPeriod: 'monthly', currency: 'usd', amount: 100 }])}
          >
            {t('editPlan.addPrice')}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}
