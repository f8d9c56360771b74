import { Route, Switch } from 'wouter';
import { TeamsPage } from './pages/teams.tsx';
import { NotFound } from './ui/blocks.tsx';

/** Every page by its address. src/http/console.ts serves the same addresses. */
export function Routes() {
  return (
    <Switch>
      <Route path="/" component={TeamsPage} />
      <Route component={NotFound} />
    </Switch>
  );
}
