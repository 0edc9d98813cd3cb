import inventory from '@latchkey/kernel/inventory' with { type: 'json' };
import { code, type Facts, table } from './fact.ts';
import properties from './sdk-properties.json' with { type: 'json' };

/** The properties of a client of the original SDK 0.64.1, with the controllers behind them. A test compares them with the SDK. */
const services = new Map(Object.entries(properties));
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
