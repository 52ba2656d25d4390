"""The cost model beside measured times."""
