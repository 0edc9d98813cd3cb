/** How the operator sells plans. */
export interface SellingSettings {
  /** Without it nothing is sold, and features and scopes of plans keep nobody from anything. */
  isOn: boolean;
  /** How long a plan stays after a payment failed. */
  graceDays: number;
}

export const sellingDefaults: SellingSettings = { isOn: false, graceDays: 7 };
