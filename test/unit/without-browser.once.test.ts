import { describe, expect, it } from 'vitest';
import { findChromium } from '../support/chromium.ts';
import { summarize } from '../support/without-browser.ts';

const missing = { reason: 'no Chrome is installed' };
const found = { executablePath: '/usr/bin/chromium' };
const inBrowser = { needsBrowser: true };

describe('the end of a run without a browser', () => {
  it('says how many tests did not run, and why', () => {
    const test = { meta: inBrowser, chromium: missing };
    expect(summarize([test, test, { meta: {}, chromium: missing }])).toBe(
      '2 browser tests did not run: no Chrome is installed. Install Chromium or set CHROMIUM_PATH.',
    );
    expect(summarize([test])).toMatch(/^1 browser test did not run: /);
  });

  it('says nothing of tests that were skipped for another reason', () => {
    expect(summarize([])).toBeUndefined();
    expect(summarize([{ meta: {}, chromium: missing }])).toBeUndefined();
    expect(summarize([{ meta: inBrowser, chromium: found }])).toBeUndefined();
  });
});

describe('the browser of a run', () => {
  it('is the one that CHROMIUM_PATH names, and no other', () => {
    expect(findChromium({ CHROMIUM_PATH: process.execPath })).toEqual({ executablePath: process.execPath });
    expect(findChromium({ CHROMIUM_PATH: '/nonexistent' })).toEqual({
      reason: 'CHROMIUM_PATH is /nonexistent, which does not exist',
    });
  });
});
