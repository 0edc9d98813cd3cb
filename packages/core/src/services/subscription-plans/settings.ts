import type { SellingSettings } from '../../shared/settings.ts';

export const sellingDefaults: SellingSettings = { isOn: false, graceDays: 7 };
