import { ActionIcon, Button, Group, Modal, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { IconPlus, IconTrash } from '../../shared/icons.tsx';
import { Failure } from '../../shared/ui/index.ts';
import { digitsOf } from './money.ts';
import styles from './price-rows.module.css';

type Plan = Answer<'GET /latchkey/plans'>[number];

const audiences = [
  { value: 'community', label: 'Communities' },
  { value: 'organization', label: 'Organizations of developers' },
];

/** One plan. What the form does not show (features, scopes, limits of requests, locks) stays as it is. */
export function EditPlan({ plan, onClose }: { plan: Plan | undefined; onClose(): void }) {
  const [id, setId] = useState(plan?.id ?? '');
  const [audience, setAudience] = useState<Plan['audience']>(plan?.audience ?? 'community');
  const [name, setName] = useState(plan?.name ?? '');
  const [description, setDescription] = useState(plan?.description ?? '');
  const [prices, setPrices] = useState<Plan['prices']>(plan?.prices ?? []);
  const [apps, setApps] = useState<number | string>(plan?.maxClientApps ?? 3);
  const [miniApps, setMiniApps] = useState<number | string>(plan?.maxMiniApps ?? 3);
  const [until, setUntil] = useState(plan?.offeredUntil?.slice(0, 10) ?? '');
  const save = useAction('PUT /latchkey/plans/{planId}', { changes: ['GET /latchkey/plans'], onDone: onClose });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const { id: _id, description: _description, offeredUntil: _until, ...kept } = plan ?? {};
    save.run({
      planId: id.trim(),
      body: {
        ...kept,
        audience,
        name: name.trim(),
        prices,
        ...(description.trim() !== '' && { description: description.trim() }),
        ...(typeof apps === 'number' && { maxClientApps: apps }),
        ...(typeof miniApps === 'number' && { maxMiniApps: miniApps }),
        ...(until !== '' && { offeredUntil: new Date(`${until}T00:00:00Z`).toISOString() }),
      },
    });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={plan === undefined ? 'Create a plan' : `Edit ${plan.name}`}
      size="lg"
      data-dialog-open
    >
      <form onSubmit={send}>
        <Stack gap="md">
          {plan === undefined && (
            <>
              <TextInput
                label="Id"
                description="Small letters, digits and dashes. It never changes."
                required
                maxLength={64}
                value={id}
                onChange={(event) => setId(event.currentTarget.value)}
              />
              <Select
                label="For"
                data={audiences}
                value={audience}
                allowDeselect={false}
                onChange={(chosen) => setAudience(chosen === 'organization' ? 'organization' : 'community')}
              />
            </>
          )}
          <TextInput
            label="Name"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            maxLength={1000}
            autosize
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <PriceRows prices={prices} onChange={setPrices} />
          {audience === 'organization' && (
            <Group grow>
              <NumberInput label="Applications" min={0} allowDecimal={false} value={apps} onChange={setApps} />
              <NumberInput label="Mini-apps" min={0} allowDecimal={false} value={miniApps} onChange={setMiniApps} />
            </Group>
          )}
          <TextInput
            label="Sold until"
            description="Empty: no end. Who has the plan keeps it."
            type="date"
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
          {plan !== undefined && (
            <Text size="sm" c="dimmed">
              Existing subscribers keep their price. Running servers use the change within seconds.
            </Text>
          )}
          <Failure error={save.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={save.isRunning} disabled={id.trim() === '' || name.trim() === ''}>
              {plan === undefined ? 'Create plan' : 'Save plan'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type Prices = Answer<'GET /latchkey/plans'>[number]['prices'];
type OnePrice = Prices[number];

const periods = [
  { value: 'monthly', label: 'Monthly' },
  { value: 'yearly', label: 'Yearly' },
];

/** What a plan costs, by period and currency. A changed price is a new one: its id at the payment provider is dropped. */
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
    <fieldset className={styles.prices}>
      <legend>Prices</legend>
      <Stack gap="sm">
        {prices.map((price, index) => {
          const digits = digitsOf(price.currency);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is what stands in its place, whatever is typed there
            <Group key={index} gap="xs" align="flex-end">
              <NumberInput
                className={styles.amount}
                label="Amount"
                min={0}
                decimalScale={digits}
                value={price.amount / 10 ** digits}
                onChange={(value) => replace(index, { amount: Math.round(Number(value) * 10 ** digits) })}
              />
              <TextInput
                className={styles.currency}
                label="Currency"
                maxLength={3}
                value={price.currency}
                onChange={(event) => replace(index, { currency: event.currentTarget.value.toLowerCase() })}
              />
              <Select
                className={styles.period}
                label="Due"
                data={periods}
                value={price.billingPeriod}
                allowDeselect={false}
                onChange={(chosen) => replace(index, { billingPeriod: chosen === 'yearly' ? 'yearly' : 'monthly' })}
              />
              <ActionIcon
                variant="subtle"
                color="red"
                size="lg"
                aria-label={`Remove price ${index + 1}`}
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
            leftSection={<IconPlus size={14} aria-hidden="true" />}
            onClick={() => onChange([...prices, { billingPeriod: 'monthly', currency: 'usd', amount: 100 }])}
          >
            Add price
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}
