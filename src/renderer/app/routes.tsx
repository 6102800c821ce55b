import { Redirect, Route, Switch, useLocation } from 'wouter';
import { NO_LINK_PATH } from '../../shared/contract/places.ts';
import { ActivityPage } from '../features/activity/activity-page.tsx';
import { AgentsPage } from '../features/agents/agents-page.tsx';
import { ReviewPermission } from '../features/agents/review-permission.tsx';
import { DevicesPage } from '../features/devices/devices-page.tsx';
import { LeasesPage } from '../features/leases/leases-page.tsx';
import { NeedsYouPage } from '../features/needs-you/needs-you-page.tsx';
import { RefusalsPage } from '../features/refusals/refusals-page.tsx';
import { RunDetailPage } from '../features/run-detail/run-detail-page.tsx';
import { SearchPage } from '../features/search/search-page.tsx';
import { RunsPage } from '../features/runs/runs-page.tsx';
import { SchedulesPage } from '../features/schedules/schedules-page.tsx';
import { SettingsPage } from '../features/settings/settings-page.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { text } from './strings.ts';

/** Where a fresh window goes: to what needs a person, if anything does. */
export function Routes({ needsYou }: { readonly needsYou: number }) {
  return (
    <Switch>
      <Route path="/">
        <Redirect to={needsYou > 0 ? '/needs' : '/runs'} replace />
      </Route>
      <Route path="/needs/:kind?/:id?">
        <NeedsYouPage />
      </Route>
      <Route path="/runs">
        <RunsPage />
      </Route>
      <Route<{ runId: string; tab?: string; seq?: string }> path="/runs/:runId/:tab?/:seq?">
        {(params) => (
          <RunDetailPage key={params.runId} runId={params.runId} tab={params.tab ?? ''} seq={params.seq ?? ''} />
        )}
      </Route>
      <Route path="/search">
        <SearchPage />
      </Route>
      <Route path="/agents/:agentId?">
        <AgentsPage />
      </Route>
      <Route path="/schedules">
        <SchedulesPage />
      </Route>
      <Route path="/refusals">
        <RefusalsPage review={ReviewPermission} />
      </Route>
      <Route path="/leases">
        <LeasesPage />
      </Route>
      <Route path="/devices">
        <DevicesPage />
      </Route>
      <Route<{ seq?: string }> path="/activity/:seq?">{(params) => <ActivityPage seq={params.seq ?? ''} />}</Route>
      <Route<{ part?: string; choice?: string }> path="/settings/:part?/:choice?">
        {(params) => <SettingsPage part={params.part ?? ''} choice={params.choice ?? ''} />}
      </Route>
      <Route path={NO_LINK_PATH}>
        <Nowhere title={text.noLink} more={text.noLinkMore} />
      </Route>
      <Route>
        <Nowhere title={text.notFound} more={text.notFoundMore} />
      </Route>
    </Switch>
  );
}

function Nowhere({ title, more }: { readonly title: string; readonly more: string }) {
  const [, navigate] = useLocation();
  return (
    <div className="page">
      <header className="top">
        <h1>{text.nowhere}</h1>
      </header>
      <EmptyState
        title={title}
        icon="search"
        action={<Button onClick={() => navigate('/runs')}>{text.backToRuns}</Button>}
      >
        {more}
      </EmptyState>
    </div>
  );
}
