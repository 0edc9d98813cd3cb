import { readFileSync } from 'node:fs';
import inventory from '../../../packages/kernel/inventory/operations.json' with { type: 'json' };
import { code, type Facts, table } from './fact.ts';

/** The services that a client of the original SDK has as properties, with the controllers behind them. */
function readServices(): Map<string, string> {
  const declared = readFileSync(new URL('application.d.ts', import.meta.resolve('@collabland/sdk')), 'utf8');
  const properties = declared.matchAll(/^ {4}(\w+): (\w+)Service;$/gm);
  return new Map([...properties].map(([, property = '', service]) => [property, `${service}Controller`]));
}

const services = readServices();
const controllers = new Set(services.values());
const known = inventory.flatMap(({ sdk, method, path }) =>
  sdk === null ? [] : [{ ...sdk, route: `${method} ${path}` }],
);
const served = new Set(known.map(({ tag }) => tag));
const withoutProperty = known.filter(({ tag }) => !controllers.has(tag));

export default {
  'older-clients/property-operations': () => String(known.length - withoutProperty.length),
  'older-clients/other-operations': () => String(withoutProperty.length),
  'older-clients/by-controller': () =>
    table(
      ['Controller', 'Methods'],
      [...Map.groupBy(withoutProperty, ({ tag }) => tag)].map(([tag, methods]) => [
        code(tag),
        methods.map(({ method, route }) => `${code(method)} (${code(route)})`).join(', '),
      ]),
    ),
  'older-clients/unserved': () =>
    [...services]
      .filter(([, controller]) => !served.has(controller))
      .map(([property]) => code(property))
      .join(', '),
} satisfies Facts;
