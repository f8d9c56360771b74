const units: Record<string, number> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A quantity as a number: `500m` is 0.5. */
export function amountOf(quantity: string | number | undefined): number {
  const [, amount, unit] = /^([\d.eE+-]+?)([a-zA-Z]{0,2})$/.exec(String(quantity ?? 0)) ?? [];
  return Number(amount ?? 0) * (units[unit ?? ''] ?? 1);
}
