import { ActionIcon, Button, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import type { Answer } from '../../shared/api/index.ts';
import { IconPlus, IconTrash } from '../../shared/icons.tsx';
import { digitsOf } from './money.ts';
import styles from './price-rows.module.css';

type Prices = Answer<'GET /latchkey/plans'>[number]['prices'];
type OnePrice = Prices[number];

const periods = [
  { value: 'monthly', label: 'Monthly' },
  { value: 'yearly', label: 'Yearly' },
];

/** What a plan costs, by period and currency. A changed price is a new one: its id at the payment provider is dropped. */
export function PriceRows({ prices, onChange }: { prices: Prices; onChange(prices: Prices): void }) {
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
