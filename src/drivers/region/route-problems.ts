import type { ComponentIdentity, DesiredHttpRule } from './desired.ts';

/** What a cluster says against the HTTP rules of a team. */
export interface RouteProblems {
  of(rule: Pick<DesiredHttpRule, 'domain' | 'path' | 'header' | 'cookie'>): string[];
}

/** What it says against its TCP rules. */
export interface TcpRouteProblems {
  of(rule: { component: Pick<ComponentIdentity, 'clusterName'>; outerPort: number }): string[];
}

/** A look at the conditions of gateways and routes. */
export interface RouteAccess {
  problems(regionId: string, teamId: string, signal: AbortSignal): Promise<RouteProblems>;
  tcpProblems(regionId: string, teamId: string, signal: AbortSignal): Promise<TcpRouteProblems>;
}
