import type { DesiredHttpRule } from './desired.ts';

/** What a cluster says against the rules of a team. */
export interface RouteProblems {
  of(rule: Pick<DesiredHttpRule, 'domain' | 'path' | 'header' | 'cookie'>): string[];
}

/** A look at the conditions of gateways and routes. */
export interface RouteAccess {
  problems(regionId: string, teamId: string, signal: AbortSignal): Promise<RouteProblems>;
}
